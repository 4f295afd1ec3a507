import { posix } from "node:path";
import type { PermissionUpdate } from "../../protocol/internal.ts";
import { escapeSpec } from "../rules/spec-patterns.ts";
import { checkUpdates } from "../updates.ts";
import { isInWorkingDirectory, type JudgeState } from "./judge-context.ts";
import type { CallContent, JudgedPart } from "./judgement.ts";

const maxSuggestions = 5;

/** Updates that would allow the call next time: one exact rule per part that is not covered, at most five. */
export function suggest(content: CallContent, tool: string, state: JudgeState): readonly PermissionUpdate[] {
  const uncovered = content.parts.filter((part) => part.decision !== "allow");
  // Suggests nothing when a rule could not allow the call.
  if (!content.complete || content.findings.some(({ decision, by }) => decision !== "allow" && by !== "mode"))
    return [];
  const found = new Map<string, PermissionUpdate>();
  for (const part of uncovered) {
    const update = suggestFor(part, content, tool, state);
    if (update && checkUpdates([update], state.policy).accepted.length === 1) found.set(JSON.stringify(update), update);
    if (found.size === maxSuggestions) break;
  }
  const updates = [...found.values()];
  const edits =
    uncovered.length > 0 &&
    uncovered.every((part) => part.kind === "write" || (part.kind === "path" && content.kind === "edit"));
  const inside = state.inputPaths.every((path) => isInWorkingDirectory(path, state));
  if (edits && inside && updates.length > 0 && updates.length < maxSuggestions && state.mode === "default") {
    updates.push({ type: "setMode", mode: "acceptEdits", destination: "session" });
  }
  return updates;
}

function suggestFor(
  part: JudgedPart,
  content: CallContent,
  tool: string,
  state: JudgeState,
): PermissionUpdate | undefined {
  if (part.dynamic) return undefined;
  switch (part.kind) {
    case "command":
      return part.why === "no rule" ? allowRule(tool, escapeSpec(part.text)) : undefined;
    case "write":
      return pathRule("Edit", part.text.replace(/^\S+ /, ""), part.cwd, state);
    case "read":
      return pathRule("Read", part.text.replace(/^\S+ /, ""), part.cwd, state);
    case "path":
      return suggestPath(part.text, content, state);
    case "domain":
      return /^[a-z0-9.-]+$/.test(part.text) ? allowRule("WebFetch", `domain:${part.text}`) : undefined;
    case "name":
      if (content.kind === "agent") return allowRule("Agent", escapeSpec(part.text));
      return content.kind === "skill" ? allowRule("Skill", escapeSpec(part.text)) : allowRule(tool);
    case "state":
      return undefined;
  }
}

function suggestPath(given: string, content: CallContent, state: JudgeState): PermissionUpdate | undefined {
  const path = state.resolve(given);
  if (isInWorkingDirectory(path, state))
    return pathRule(content.kind === "edit" ? "Edit" : "Read", given, state.context.cwd, state);
  const folder = path.kind === "folder" ? path.resolved : posix.dirname(path.resolved);
  return folder === "/" ? undefined : { type: "addDirectories", directories: [folder], destination: "session" };
}

/** A rule on exactly one file: `./x` below the working directory, `//x` elsewhere. */
function pathRule(tool: string, given: string, cwd: string | null, state: JudgeState): PermissionUpdate | undefined {
  const text = given.replace(/^(['"])(.*)\1$/, "$2");
  if (cwd === null || /["'$`\\~\n]/.test(text)) return undefined;
  const whole = posix.resolve(cwd, text);
  const base = posix.resolve(state.context.cwd);
  const spec = whole.startsWith(`${base}/`) ? `./${whole.slice(base.length + 1)}` : `/${whole}`;
  return allowRule(tool, escapeSpec(spec).replace(/[?[]/g, "[$&]"));
}

function allowRule(toolName: string, ruleContent?: string): PermissionUpdate {
  const entry = ruleContent === undefined ? { toolName } : { toolName, ruleContent };
  return { type: "addRules", rules: [entry], behavior: "allow", destination: "localSettings" };
}

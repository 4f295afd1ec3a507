import { posix } from "node:path";
import type { PermissionUpdate } from "../../protocol/internal.ts";
import { escapeSpec } from "../rules/spec-glob.ts";
import { checkUpdates } from "../updates.ts";
import { isInside, type JudgeState } from "./judge-context.ts";
import type { CallContent, JudgedPart } from "./judgement.ts";

const maxSuggestions = 5;

/** What would let the call pass next time: one exact rule per part that is not covered, five in all. */
export function suggest(look: CallContent, tool: string, state: JudgeState): readonly PermissionUpdate[] {
  const open = look.parts.filter((part) => part.decision !== "allow");
  // A question that no rule can answer is not answered by suggesting one.
  if (!look.complete || look.findings.some(({ decision, by }) => decision !== "allow" && by !== "mode")) return [];
  const updates: PermissionUpdate[] = [];
  for (const part of open) {
    const update = suggestFor(part, look, tool, state);
    if (
      update &&
      checkUpdates([update], state.policy).accepted.length === 1 &&
      !updates.some((known) => JSON.stringify(known) === JSON.stringify(update))
    )
      updates.push(update);
    if (updates.length === maxSuggestions) break;
  }
  const edits =
    open.length > 0 && open.every((part) => part.kind === "write" || (part.kind === "path" && look.kind === "edit"));
  const inside = state.seen.every((path) => isInside(path, state));
  if (edits && inside && updates.length > 0 && updates.length < maxSuggestions && state.mode === "default") {
    updates.push({ type: "setMode", mode: "acceptEdits", destination: "session" });
  }
  return updates;
}

function suggestFor(
  part: JudgedPart,
  look: CallContent,
  tool: string,
  state: JudgeState,
): PermissionUpdate | undefined {
  if (part.dynamic) return undefined;
  switch (part.kind) {
    case "command":
      return part.why === "no rule" ? rule(tool, escapeSpec(part.text)) : undefined;
    case "write":
      return pathRule("Edit", part.text.replace(/^\S+ /, ""), part.cwd, state);
    case "read":
      return pathRule("Read", part.text.replace(/^\S+ /, ""), part.cwd, state);
    case "path":
      return suggestPath(part.text, look, state);
    case "domain":
      return /^[a-z0-9.-]+$/.test(part.text) ? rule("WebFetch", `domain:${part.text}`) : undefined;
    case "name":
      if (look.kind === "agent") return rule("Agent", escapeSpec(part.text));
      return look.kind === "skill" ? rule("Skill", escapeSpec(part.text)) : rule(tool);
    case "state":
      return undefined;
  }
}

function suggestPath(given: string, look: CallContent, state: JudgeState): PermissionUpdate | undefined {
  const path = state.resolve(given);
  if (isInside(path, state)) return pathRule(look.kind === "edit" ? "Edit" : "Read", given, state.context.cwd, state);
  const folder = path.kind === "folder" ? path.resolved : posix.dirname(path.resolved);
  return folder === "/" ? undefined : { type: "addDirectories", directories: [folder], destination: "session" };
}

/** The one file, anchored: `./x` below the working directory, `//x` elsewhere. */
function pathRule(tool: string, given: string, cwd: string | null, state: JudgeState): PermissionUpdate | undefined {
  const text = given.replace(/^(['"])(.*)\1$/, "$2");
  if (cwd === null || /["'$`\\~\n]/.test(text)) return undefined;
  const whole = posix.resolve(cwd, text);
  const base = posix.resolve(state.context.cwd);
  const spec = whole.startsWith(`${base}/`) ? `./${whole.slice(base.length + 1)}` : `/${whole}`;
  return rule(tool, escapeSpec(spec).replace(/[?[]/g, "[$&]"));
}

function rule(toolName: string, ruleContent?: string): PermissionUpdate {
  const entry = ruleContent === undefined ? { toolName } : { toolName, ruleContent };
  return { type: "addRules", rules: [entry], behavior: "allow", destination: "localSettings" };
}

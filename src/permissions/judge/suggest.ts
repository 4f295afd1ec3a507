import { posix } from "node:path";
import type { PermissionUpdate } from "../../protocol/internal.ts";
import { escapeSpec } from "../rules/spec-glob.ts";
import { checkUpdates } from "../updates.ts";
import { type Desk, isInside } from "./judge-context.ts";
import type { JudgedPart, Look } from "./judgement.ts";

const mostSuggestions = 5;

/** What would let the call pass next time: one exact rule per part that is not covered, five in all. */
export function suggest(look: Look, tool: string, desk: Desk): readonly PermissionUpdate[] {
  const open = look.parts.filter((part) => part.decision !== "allow");
  // A question that no rule can answer is not answered by suggesting one.
  if (!look.complete || look.findings.some(({ decision, by }) => decision !== "allow" && by !== "mode")) return [];
  const updates: PermissionUpdate[] = [];
  for (const part of open) {
    const update = suggestFor(part, look, tool, desk);
    if (
      update &&
      checkUpdates([update], desk.policy).accepted.length === 1 &&
      !updates.some((known) => JSON.stringify(known) === JSON.stringify(update))
    )
      updates.push(update);
    if (updates.length === mostSuggestions) break;
  }
  const edits =
    open.length > 0 && open.every((part) => part.kind === "write" || (part.kind === "path" && look.kind === "edit"));
  const inside = desk.seen.every((path) => isInside(path, desk));
  if (edits && inside && updates.length > 0 && updates.length < mostSuggestions && desk.mode === "default") {
    updates.push({ type: "setMode", mode: "acceptEdits", destination: "session" });
  }
  return updates;
}

function suggestFor(part: JudgedPart, look: Look, tool: string, desk: Desk): PermissionUpdate | undefined {
  if (part.dynamic) return undefined;
  switch (part.kind) {
    case "command":
      return part.why === "no rule" ? rule(tool, escapeSpec(part.text)) : undefined;
    case "write":
      return pathRule("Edit", part.text.replace(/^\S+ /, ""), part.cwd, desk);
    case "read":
      return pathRule("Read", part.text.replace(/^\S+ /, ""), part.cwd, desk);
    case "path":
      return suggestPath(part.text, look, desk);
    case "domain":
      return /^[a-z0-9.-]+$/.test(part.text) ? rule("WebFetch", `domain:${part.text}`) : undefined;
    case "name":
      if (look.kind === "agent") return rule("Agent", escapeSpec(part.text));
      return look.kind === "skill" ? rule("Skill", escapeSpec(part.text)) : rule(tool);
    case "state":
      return undefined;
  }
}

function suggestPath(given: string, look: Look, desk: Desk): PermissionUpdate | undefined {
  const path = desk.resolve(given);
  if (isInside(path, desk)) return pathRule(look.kind === "edit" ? "Edit" : "Read", given, desk.context.cwd, desk);
  const folder = path.kind === "folder" ? path.resolved : posix.dirname(path.resolved);
  return folder === "/" ? undefined : { type: "addDirectories", directories: [folder], destination: "session" };
}

/** The one file, anchored: `./x` below the working directory, `//x` elsewhere. */
function pathRule(tool: string, given: string, cwd: string | null, desk: Desk): PermissionUpdate | undefined {
  const text = given.replace(/^(['"])(.*)\1$/, "$2");
  if (cwd === null || /["'$`\\~\n]/.test(text)) return undefined;
  const whole = posix.resolve(cwd, text);
  const base = posix.resolve(desk.context.cwd);
  const spec = whole.startsWith(`${base}/`) ? `./${whole.slice(base.length + 1)}` : `/${whole}`;
  return rule(tool, escapeSpec(spec).replace(/[?[]/g, "[$&]"));
}

function rule(toolName: string, ruleContent?: string): PermissionUpdate {
  const entry = ruleContent === undefined ? { toolName } : { toolName, ruleContent };
  return { type: "addRules", rules: [entry], behavior: "allow", destination: "localSettings" };
}

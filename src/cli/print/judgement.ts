import type { JudgedPart, Judgement, RuleRef } from "../../permissions/internal.ts";
import { escapeControls, type PermissionUpdate } from "../../protocol/internal.ts";
import { homePath } from "./figures.ts";
import { truncate } from "./table.ts";
import type { Style } from "./terminal.ts";

/** The decision, one line per part, the reason, and the rules that would allow the call. */
export function judgementText(judgement: Judgement, { home, style }: { home: string; style: Style }): string {
  const lines = [
    `${painted(judgement.decision, style)}    ${style.bold(escapeControls(judgement.tool))}    ${escapeControls(subjectOf(judgement))}`,
    ...partLines(judgement.parts, home, style),
    ...(isExplainedByParts(judgement) ? [] : [`  ${escapeControls(judgement.reason)}`]),
    ...closing(judgement),
    ...judgement.warnings.map(
      ({ code, message }) => `  ${style.yellow("warning")} ${code}: ${escapeControls(message)}`,
    ),
  ];
  return `${lines.join("\n")}\n`;
}

/** One line for a batch. */
export function judgementLine({ decision, tool, reason }: Judgement): string {
  return `${decision}\t${escapeControls(tool)}\t${escapeControls(reason)}\n`;
}

/** The documented fields. */
export function judgementJson({ stance, attended, input, ...judgement }: Judgement): Record<string, unknown> {
  const parts = judgement.parts.map(({ by: _, ...part }) => ({ ...part, rule: ruleJson(part.rule) }));
  return { ...judgement, rule: ruleJson(judgement.rule), parts };
}

function ruleJson(rule: RuleRef | null): Record<string, unknown> | null {
  return rule && { text: rule.text, list: rule.list, scope: rule.scope, file: rule.file ?? null };
}

function subjectOf({ input, parts, tool }: Judgement): string {
  const named = input["command"] ?? input["file_path"] ?? input["path"] ?? input["notebook_path"] ?? input["url"];
  if (typeof named === "string") return named.length > 400 ? `${named.slice(0, 400)}…` : named;
  const [first] = parts;
  return first && first.text !== tool ? first.text : "";
}

const partWidth = 60;

function partLines(parts: readonly JudgedPart[], home: string, style: Style): string[] {
  const texts = parts.map((part) =>
    truncate(escapeControls([...part.via.map((name) => `${name} ›`), part.text].join(" ")), partWidth),
  );
  const width = Math.max(0, ...texts.map((text) => text.length));
  return parts.map((part, index) => {
    const reason = part.rule
      ? `${escapeControls(part.rule.text)}    ${place(part.rule, home)}`
      : escapeControls(part.why);
    const more =
      part.rule && part.decision !== "allow" && part.rule.list !== part.decision
        ? `    ${escapeControls(part.why)}`
        : "";
    return `  ${painted(part.decision, style)}  ${(texts[index] ?? "").padEnd(width)}  ${reason}${more}`;
  });
}

/** Whether the lines of the parts already show the reason. */
function isExplainedByParts({ parts, reason, wouldAsk }: Judgement): boolean {
  return (
    !wouldAsk &&
    parts.some(
      ({ decision, why, rule }) =>
        reason.endsWith(why) && (decision !== "allow" || rule !== null || parts.length === 1),
    )
  );
}

function closing({ decision, parts, suggestions, complete, problems }: Judgement): string[] {
  const open = parts.filter((part) => part.decision !== "allow").length;
  const lines = complete
    ? []
    : problems
        .slice(0, 3)
        .map(({ code, at, text }) => `  ${code} at ${at[0]}: ${escapeControls(truncate(text, partWidth))}`);
  if (decision !== "ask" || open === 0) return lines;
  const rules = suggestions.map(suggestionText).map(escapeControls);
  const would = rules.length > 0 ? ` Rules that would allow it: ${rules.join("  ")}` : "";
  const count = parts.length === 1 ? "The call is not covered." : `${open} of ${parts.length} parts are not covered.`;
  return [...lines, `  ${count}${would}`];
}

function suggestionText(update: PermissionUpdate): string {
  if ("mode" in update) return `mode ${update.mode}`;
  if ("directories" in update) return `directory ${update.directories.join(", ")}`;
  const texts = update.rules.map(({ toolName, ruleContent }) =>
    ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`,
  );
  return texts.join("  ");
}

function place({ scope, file }: RuleRef, home: string): string {
  return file === undefined ? scope : `${scope}, ${escapeControls(homePath(file, home))}`;
}

function painted(decision: Judgement["decision"], style: Style): string {
  const color = { allow: style.green, ask: style.yellow, deny: style.red }[decision];
  return color(decision.padEnd(5));
}

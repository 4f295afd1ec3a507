import { basename } from "node:path";
import { type Outcome, type RunRecord, rowOf, stripControl } from "../../protocol/index.ts";
import type { Style } from "../print/style.ts";

/** One event as it happened: time, event, subject, hook, verdict, milliseconds; the reason below it. At most 80 columns. */
export function eventLine(outcome: Outcome, subject: string, atMs: number, style: Style): string {
  const { runs } = outcome;
  const verdict = verdictOf(outcome);
  const hook = runs.length === 0 ? "" : runs.length === 1 ? nameOf(runs[0]) : deciding(outcome);
  const ms = runs.length === 0 ? "" : `${Math.round(Math.max(...runs.map(({ durationMs }) => durationMs)))} ms`;
  const columns = [
    `${(atMs / 1_000).toFixed(2).padStart(5)}s`,
    outcome.event.padEnd(19),
    cut(subject, 8).padEnd(8),
    cut(hook, 15).padEnd(15),
    (runs.length === 0 ? "no hook" : verdict.word).padEnd(10),
    ms.padStart(8),
  ];
  const line = columns.join(" ").trimEnd();
  if (runs.length === 0) return `${style.dim(line)}\n`;
  return `${style[verdict.colour](line)}\n${reasonLines(verdict.why, style)}`;
}

interface Verdict {
  readonly word: string;
  readonly why: string;
  readonly colour: "red" | "yellow" | "blue" | "green";
}

function verdictOf(outcome: Outcome): Verdict {
  const { event, decision, blocked, reason = "", updatedInput, output, additionalContext } = outcome;
  if (blocked) return { word: rowOf(event).onBlock === "goOn" ? "sent back" : "denied", why: reason, colour: "red" };
  if (updatedInput !== undefined)
    return { word: "rewritten", why: `→ ${JSON.stringify(updatedInput)}`, colour: "yellow" };
  if (output.updatedToolOutput !== undefined)
    return { word: "redacted", why: "the model gets another output", colour: "yellow" };
  if (decision !== "none") return { word: decision === "ask" ? "asked" : decision, why: reason, colour: "yellow" };
  const words = [...additionalContext, ...(output.customInstructions === undefined ? [] : [output.customInstructions])];
  if (words.length > 0) return { word: "context", why: words.join(" "), colour: "blue" };
  return { word: "passed", why: "", colour: "green" };
}

/** Of several hooks the one that said something. */
function deciding({ runs }: Outcome): string {
  const said = runs.find(({ verdict, answer }) => verdict.kind !== "none" || answer !== undefined);
  return said === undefined ? `${runs.length} hooks` : nameOf(said);
}

/** The program's own name, out of a command such as `sh "$CLAUDE_PROJECT_DIR/hooks/guard.sh"`. */
function nameOf(run: RunRecord | undefined): string {
  return basename((run?.hook.name ?? "").replaceAll('"', ""));
}

function reasonLines(why: string, style: Style): string {
  return why === "" ? "" : `${style.dim(`       └ ${cut(stripControl(why).replaceAll("\n", " "), 70)}`)}\n`;
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** Words of the agent or the person, between the events. */
export function spokenLine(who: string, words: string, style: Style): string {
  return `\n${style.bold(`${who}:`)} ${cut(stripControl(words).replaceAll("\n", " "), 74 - who.length)}\n`;
}

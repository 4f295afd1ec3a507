import { type Outcome, type RunRecord, type Skip, stripControl, visible } from "../../protocol/index.ts";
import type { Style } from "./style.ts";

/** An outcome for people: the decision first, then who said what, then who did not run and why. */
export function outcomeText(outcome: Outcome, style: Style): string {
  const lines = [
    headline(outcome, style),
    ...field("reason", outcome.reason),
    ...field("stop", outcome.continue ? undefined : (outcome.stopReason ?? "the run ends")),
    ...field("input", outcome.updatedInput === undefined ? undefined : JSON.stringify(outcome.updatedInput)),
    ...outcome.additionalContext.flatMap((text) => field("context", text)),
    ...outcome.systemMessages.flatMap((text) => field("message", text)),
    ...Object.entries(outcome.output).flatMap(([name, value]) => field(name, shown(value))),
    ...outcome.runs.map((record) => runLine(record, style)),
    ...outcome.skipped.map((skip) => skipLine(skip, style)),
    ...outcome.warnings.map(({ code, message }) => `  ${style.yellow("warning")} ${code}: ${safe(message)}`),
  ];
  return `${lines.join("\n")}\n`;
}

function headline({ event, decision, blocked }: Outcome, style: Style): string {
  const colour = decision === "deny" || blocked ? style.red : decision === "ask" ? style.yellow : style.green;
  return `${style.bold(event)}  ${colour(decision)}${blocked ? style.red(" (blocked)") : ""}`;
}

function field(name: string, value: string | undefined): string[] {
  return value === undefined ? [] : [`  ${name.padEnd(8)} ${safe(value).replaceAll("\n", "\n           ")}`];
}

function runLine({ hook, ended, verdict, durationMs, background }: RunRecord, style: Style): string {
  const how = background ? "in the background" : endedWords(ended);
  return `  ${style.green("ran")}      ${visible(hook.name)}  ${style.dim(`${hook.source}, ${how}, ${verdict.kind}, ${Math.round(durationMs)} ms`)}`;
}

function endedWords(ended: RunRecord["ended"]): string {
  if (ended.by === "exit") return `exit ${ended.code}`;
  if (ended.by === "http") return `http ${ended.status}`;
  return ended.by;
}

function skipLine({ hook, why, detail }: Skip, style: Style): string {
  return `  ${style.dim("skipped")}  ${visible(hook.name)}  ${style.dim(`${why}: ${visible(detail)}`)}`;
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** What hooks print is data on our terminal too. */
function safe(text: string): string {
  return stripControl(text);
}

import { plainLine, plainText } from "../../protocol/internal.ts";
import type { EventCount, ReplayReport } from "../../replay/internal.ts";
import { diffLines } from "./diff.ts";
import { countText, plural, sizeText } from "./figures.ts";
import {
  againstText,
  callText,
  effectsText,
  eventsText,
  handlersText,
  listedText,
  moreLine,
  type ReportLayout,
} from "./replay-tables.ts";
import { truncate, wrap } from "./table.ts";

/** The options that selected the transcripts, as they were given. */
interface GivenOptions {
  readonly root?: string | undefined;
  readonly all?: boolean;
  readonly since?: string | undefined;
}

/** The result first, then the events, the handlers and the calls. */
export function replayText(report: ReplayReport, layout: ReportLayout, given: GivenOptions = {}): string {
  if (report.files === 0 && report.unread.length === 0) return noTranscripts(given);
  const calls = report.against === undefined ? [listedText, changesText] : [againstText];
  const sections = [headline, eventsText, handlersText, ...calls, effectsText, notesText];
  return sections
    .map((section) => section(report, layout))
    .filter((text) => text !== "")
    .join("\n");
}

/** Advises only options that were not given. */
function noTranscripts({ root, all = false, since }: GivenOptions): string {
  const where = `${all ? "" : " for this project"}${root === undefined ? "" : ` in ${plainLine(root)}`}`;
  const advice = [
    ...(all ? [] : ["--all for every project"]),
    ...(root === undefined ? ["--root for another directory"] : []),
    ...(since === undefined ? [] : ["an earlier --since"]),
  ];
  return `No transcripts found${where}.${advice.length === 0 ? "" : ` Use ${advice.join(" or ")}.`}\n`;
}

/** A line for each tool of --tool that does not occur, for stderr. */
export function toolsNotFoundText({ toolsNotFound = [] }: ReplayReport): string {
  return toolsNotFound
    .map(({ tool, meant, occurring }) => {
      const hint = meant === undefined ? "" : ` Did you mean "${plainLine(meant)}"?`;
      const tools =
        occurring.length === 0 ? "no tool occurs" : `tools that occur: ${occurring.map(plainLine).join(", ")}`;
      return `hookline: No call of "${plainLine(tool)}" was found; ${tools}.${hint}\n`;
    })
    .join("");
}

function headline(report: ReplayReport, { style, columns }: ReportLayout): string {
  const { toolCalls, prompts, sessions, files, bytes, events, handlers, against, refusedThen } = report;
  if (events.length === 0) return `Nothing to replay in ${plural(files, "file")} (${sizeText(bytes)}).\n`;
  const calls = `${plural(toolCalls, "tool call")} and ${plural(prompts, "prompt")}`;
  const first = `${calls} from ${plural(sessions, "session")}, ${plural(files, "file")}, ${sizeText(bytes)}`;
  const seen = events.reduce((sum, event) => sum + event.seen, 0);
  const second =
    against === undefined
      ? verdict(events) + (refusedThen === 0 ? "" : ` ${countText(refusedThen)} of these were denied at the time, too.`)
      : `${countText(against.differing)} of ${plural(seen, "event")} would be answered differently than by ${plainLine(against.hooks)}.`;
  const isIdle = handlers.every(({ calls }) => calls === 0);
  const warning = isIdle ? [style.yellow("No handler of this app was called.")] : [];
  const lines = [...warning, ...wrap(first, columns), ...wrap(second, columns).map((line) => style.bold(line))];
  return lines.map((line) => `${line}\n`).join("");
}

/** "It would have denied 3 of 1,214 calls." */
function verdict(events: readonly EventCount[]): string {
  const tools = events.find(({ event }) => event === "PreToolUse");
  const prompts = events.find(({ event }) => event === "UserPromptSubmit");
  const of = (count: EventCount | undefined, ...decisions: readonly (keyof EventCount["decisions"])[]) =>
    decisions.reduce((sum, decision) => sum + (count?.decisions[decision] ?? 0), 0);
  const asked = of(tools, "ask", "defer");
  const changed = tools?.inputsChanged ?? 0;
  const outputs = events.reduce((sum, { outputsChanged }) => sum + outputsChanged, 0);
  const blocked = of(prompts, "block", "halt");
  const parts = [
    ...(tools === undefined ? [] : [`denied ${countText(of(tools, "deny", "halt"))} of ${plural(tools.seen, "call")}`]),
    ...(asked > 0 ? [`asked about ${countText(asked)}`] : []),
    ...(changed > 0 ? [`changed the input of ${countText(changed)}`] : []),
    ...(outputs > 0 ? [`changed the output of ${countText(outputs)}`] : []),
    ...(blocked > 0 ? [`blocked ${countText(blocked)} of ${plural(prompts?.seen ?? 0, "prompt")}`] : []),
  ];
  return parts.length === 0 ? "It would have changed nothing." : `It would have ${parts.join(", ")}.`;
}

function changesText({ changes, changesInAll }: ReplayReport, { style, columns }: ReportLayout): string {
  if (changes.length === 0) return "";
  const blocks = changes.map((change) => {
    const lines = diffLines(inputText(change.before), inputText(change.after), 1).map(({ mark, text }) => {
      const line = truncate(`  ${mark} ${text}`, columns);
      return mark === "+" ? style.green(line) : mark === "-" ? style.red(line) : line;
    });
    const shown = lines.length > 0 ? lines : ["  (the difference is beyond what is shown)"];
    return [truncate(callText(change), columns), ...shown].join("\n");
  });
  return `${style.bold("Changed inputs")}\n${blocks.join("\n")}\n${moreLine(changes.length, changesInAll)}`;
}

/** One field per line, so that a diff shows fields. */
function inputText(input: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(input).map(
    ([key, value]) => `${plainLine(key)}: ${plainText(typeof value === "string" ? value : JSON.stringify(value))}`,
  );
  return `${lines.join("\n")}\n`;
}

function notesText(report: ReplayReport, { style, columns }: ReportLayout): string {
  const { tasks, failures, missing, unreadableLines, unread, repeated } = report;
  const absent = missing.map(({ part, events }) => `${part} (${plural(events, "event")})`);
  const lines = [
    ...failures.map(({ handler, error, count }) => `${plainLine(handler)} failed ${plural(count, "time")}: ${error}`),
    ...tasks.map(({ name, count }) => `task ${plainLine(name)} would have been added ${plural(count, "time")}`),
    ...(absent.length === 0 ? [] : [`not in transcripts: ${absent.join(", ")}`]),
    ...(repeated > 0 ? [`${plural(repeated, "event")} in forked or archived copies counted once`] : []),
    ...(unreadableLines > 0 ? [`${plural(unreadableLines, "line")} could not be read`] : []),
  ];
  // Paths are not truncated, so that they can be copied.
  const named = unread.map(({ file, why }) =>
    plainLine(`not replayed: ${why.includes(file) ? why : `${file}: ${why}`}`),
  );
  const parts = [...lines.flatMap((line) => wrap(line, columns)), ...named];
  return parts.map((part) => `${style.dim(part)}\n`).join("");
}

import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type AgentEvent, type AgentResult, runAgent, type UserPort } from "../../agent/internal.ts";
import { scripted } from "../../models/internal.ts";
import { eventRow, type Outcome, type RunRecord, stripControl } from "../../protocol/internal.ts";
import type { Style } from "../print/style.ts";
import { type DemoProject, prompts, story } from "./project.ts";

export interface Stage {
  /** Waited before each answer, for a reader to follow. */
  readonly delayMs: number;
  readonly say: (text: string) => Promise<void>;
  readonly style: Style;
  readonly signal: AbortSignal;
}

/** The first event that a typed line causes; the line is shown above it. */
const promptEvents: ReadonlySet<string> = new Set(["UserPromptSubmit", "PreCompact"]);

/** Plays the story with the real agent, engine and hooks; shows everything as it happens. */
export async function playStory(project: DemoProject, stage: Stage): Promise<{ seen: Seen; result: AgentResult }> {
  const { delayMs, say, style, signal } = stage;
  const model = await scripted(story(project.folder, delayMs));
  const outcomes: Outcome[] = [];
  const typed = [...prompts];
  const begun = performance.now();
  let [answered, compactions] = [0, 0];
  let shown = Promise.resolve();
  const show = (text: string): void => {
    shown = shown.then(() => say(text));
  };

  /** The demo's person reads the question and says yes, where everybody sees it. */
  const person: UserPort = {
    async permission({ tool, reason, input }) {
      show(
        spokenLine(
          "question",
          `${tool}: ${reason} ${String(input["file_path"] ?? "").replace(project.folder, ".")}`,
          style,
        ),
      );
      await sleep(delayMs * 2, undefined, { signal });
      show(spokenLine("person", "yes", style));
      answered++;
      return { behavior: "allow" };
    },
  };

  function observe(event: AgentEvent): void {
    if (event.kind === "outcome") {
      outcomes.push(event.outcome);
      if (promptEvents.has(event.outcome.event)) show(spokenLine("person", typed.shift() ?? "", style));
      const [, subject = ""] = event.hookName.split(":");
      show(eventLine(event.outcome, subject, performance.now() - begun, style));
    }
    if (event.kind === "assistant" && event.block.type === "text") {
      show(spokenLine(event.parentToolUseId === null ? "agent" : "subagent", event.block.text, style));
    }
    if (event.kind === "compacted") compactions++;
  }

  const result = await runAgent({
    model,
    cwd: project.folder,
    home: project.home,
    env: project.env,
    store: project.store,
    // The project is ours, written a moment ago: there is nobody to ask whether its hooks may run.
    trust: "implicit",
    interactive: true,
    user: person,
    observe,
    signal,
    onReady(control) {
      for (const prompt of prompts) control.prompt(prompt, "typed");
      control.end();
    },
  });
  await shown;
  return { seen: { outcomes, answered, compactions, complaints: model.complaints(), result: result.result }, result };
}

/** What the demo saw of the session. */
interface Seen {
  readonly outcomes: readonly Outcome[];
  /** Questions that the demo's person answered. */
  readonly answered: number;
  readonly compactions: number;
  /** What the scripted model missed. */
  readonly complaints: readonly string[];
  /** What the agent said last. */
  readonly result: string;
}

/** Steps of the story that did not happen; none when all is as told. */
export function missingSteps(seen: Seen): readonly string[] {
  const some = (event: string, holds: (outcome: Outcome) => boolean): boolean =>
    seen.outcomes.some((outcome) => outcome.event === event && holds(outcome));
  const stops = seen.outcomes.filter(({ event }) => event === "Stop");
  const steps: readonly (readonly [string, boolean])[] = [
    ["a destructive command is denied", some("PreToolUse", ({ decision }) => decision === "deny")],
    ["a command is rewritten", some("PreToolUse", ({ updatedInput }) => updatedInput !== undefined)],
    ["an edit is asked about, and a person answers", seen.answered === 1],
    ["a secret is taken out of a result", some("PostToolUse", ({ output }) => output.updatedToolOutput !== undefined)],
    ["a subagent looks around", some("SubagentStop", () => true)],
    ["the agent may not stop before the tests pass", stops[0]?.blocked === true && stops.at(-1)?.blocked === false],
    ["the conversation is compacted", seen.compactions === 1],
    ["the hook's note outlives the compaction", seen.result.includes("in cents")],
  ];
  return [
    ...steps.filter(([, happened]) => !happened).map(([step]) => `It did not happen: ${step}.`),
    ...seen.complaints,
  ];
}

/** One event as it happened: time, event, subject, hook, verdict, milliseconds; the reason below it. At most 80 columns. */
function eventLine(outcome: Outcome, subject: string, atMs: number, style: Style): string {
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
  if (blocked) return { word: eventRow(event).onBlock === "goOn" ? "sent back" : "denied", why: reason, colour: "red" };
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
function spokenLine(who: string, words: string, style: Style): string {
  return `\n${style.bold(`${who}:`)} ${cut(stripControl(words).replaceAll("\n", " "), 74 - who.length)}\n`;
}

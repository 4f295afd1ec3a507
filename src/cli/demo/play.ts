import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type AgentEvent, type AgentResult, runAgent, type UserPort } from "../../agent/internal.ts";
import { scripted } from "../../models/internal.ts";
import { eventRow, type Outcome, type RunRecord, stripControl } from "../../protocol/internal.ts";
import { truncate } from "../print/table.ts";
import type { Style } from "../print/terminal.ts";
import { type DemoProject, demoScript, prompts } from "./project.ts";

export interface DemoView {
  /** The pause before each answer, so that a reader can follow. */
  readonly delayMs: number;
  readonly say: (text: string) => Promise<void>;
  readonly style: Style;
  readonly signal: AbortSignal;
}

/** The first event of a line that the user types; the line is shown above it. */
const promptEvents: ReadonlySet<string> = new Set(["UserPromptSubmit", "PreCompact"]);

/** Plays the demo with the real agent, engine and hooks, and shows everything as it happens. */
export async function playDemo(project: DemoProject, view: DemoView): Promise<DemoRecording> {
  const { delayMs, say, style, signal } = view;
  const model = await scripted(demoScript(project.folder, delayMs));
  const outcomes: Outcome[] = [];
  const typed = [...prompts];
  const startMs = performance.now();
  let answered = 0;
  let shown = Promise.resolve();
  const show = (text: string): void => {
    shown = shown.then(() => say(text));
  };

  /** The user of the demo answers every question with yes. */
  const user: UserPort = {
    async permission({ tool, reason, input }) {
      const file = String(input["file_path"] ?? "").replace(project.folder, ".");
      show(speechLine("question", `${tool}: ${reason} ${file}`, style));
      await sleep(delayMs * 2, undefined, { signal });
      show(speechLine("user", "yes", style));
      answered++;
      return { behavior: "allow" };
    },
  };

  function observe(event: AgentEvent): void {
    if (event.kind === "outcome") {
      outcomes.push(event.outcome);
      if (promptEvents.has(event.outcome.event)) show(speechLine("user", typed.shift() ?? "", style));
      const [, subject = ""] = event.hookName.split(":");
      show(eventLine(event.outcome, subject, performance.now() - startMs, style));
    }
    if (event.kind === "assistant" && event.block.type === "text") {
      show(speechLine(event.parentToolUseId === null ? "agent" : "subagent", event.block.text, style));
    }
  }

  const result = await runAgent({
    model,
    cwd: project.folder,
    home: project.home,
    env: project.env,
    store: project.store,
    // The project was just created by the demo, so its hooks need no approval.
    trust: "implicit",
    interactive: true,
    user,
    observe,
    signal,
    onReady(control) {
      for (const prompt of prompts) control.prompt(prompt, "typed");
      control.end();
    },
  });
  await shown;
  return { outcomes, answered, complaints: model.complaints(), result };
}

/** What happened in the session. */
export interface DemoRecording {
  readonly outcomes: readonly Outcome[];
  /** The number of questions that the user answered. */
  readonly answered: number;
  /** Expectations of the script that were not met. */
  readonly complaints: readonly string[];
  readonly result: AgentResult;
}

/** What did not happen: expectations of the script, and the two steps that the model cannot see. */
export function missingSteps({ outcomes, answered, complaints }: DemoRecording): readonly string[] {
  const steps: readonly (readonly [string, boolean])[] = [
    ["a command is rewritten", outcomes.some(({ updatedInput }) => updatedInput !== undefined)],
    ["an edit needs confirmation, and the user answers", answered === 1],
  ];
  const missing = steps.filter(([, happened]) => !happened).map(([step]) => `This step did not happen: ${step}.`);
  return [...missing, ...complaints];
}

/** One event: time, event, subject, hook, verdict, duration; the reason below it. At most 80 columns. */
function eventLine(outcome: Outcome, subject: string, atMs: number, style: Style): string {
  const { runs } = outcome;
  const verdict = verdictOf(outcome);
  const ms = runs.length === 0 ? "" : `${Math.round(Math.max(...runs.map(({ durationMs }) => durationMs)))} ms`;
  const columns = [
    `${(atMs / 1_000).toFixed(2).padStart(5)}s`,
    outcome.event.padEnd(19),
    truncate(subject, 8).padEnd(8),
    truncate(hookName(runs), 15).padEnd(15),
    (runs.length === 0 ? "no hook" : verdict.word).padEnd(10),
    ms.padStart(8),
  ];
  const line = columns.join(" ").trimEnd();
  if (runs.length === 0) return `${style.dim(line)}\n`;
  return `${style[verdict.color](line)}\n${reasonLines(verdict.why, style)}`;
}

interface ShownVerdict {
  readonly word: string;
  readonly why: string;
  readonly color: "red" | "yellow" | "blue" | "green";
}

function verdictOf(outcome: Outcome): ShownVerdict {
  const { event, decision, blocked, reason = "", updatedInput, output, additionalContext } = outcome;
  if (blocked) return { word: eventRow(event).onBlock === "goOn" ? "sent back" : "denied", why: reason, color: "red" };
  if (updatedInput !== undefined)
    return { word: "rewritten", why: `→ ${JSON.stringify(updatedInput)}`, color: "yellow" };
  if (output.updatedToolOutput !== undefined)
    return { word: "redacted", why: "the output for the model was replaced", color: "yellow" };
  if (decision !== "none") return { word: decision === "ask" ? "asked" : decision, why: reason, color: "yellow" };
  const context = [
    ...additionalContext,
    ...(output.customInstructions === undefined ? [] : [output.customInstructions]),
  ];
  if (context.length > 0) return { word: "context", why: context.join(" "), color: "blue" };
  return { word: "passed", why: "", color: "green" };
}

/** The program of the hook that decided, in a command such as `sh "$CLAUDE_PROJECT_DIR/hooks/guard.sh"`. */
function hookName(runs: readonly RunRecord[]): string {
  const [only] = runs;
  const decider = runs.find(({ verdict, answer }) => verdict.kind !== "none" || answer !== undefined);
  const run = runs.length === 1 ? only : decider;
  if (run !== undefined) return basename(run.hook.name.replaceAll('"', ""));
  return runs.length === 0 ? "" : `${runs.length} hooks`;
}

function reasonLines(why: string, style: Style): string {
  return why === "" ? "" : `${style.dim(`       └ ${truncate(stripControl(why).replaceAll("\n", " "), 70)}`)}\n`;
}

/** What the agent or the user says, between the events. */
function speechLine(speaker: string, text: string, style: Style): string {
  return `\n${style.bold(`${speaker}:`)} ${truncate(stripControl(text).replaceAll("\n", " "), 74 - speaker.length)}\n`;
}

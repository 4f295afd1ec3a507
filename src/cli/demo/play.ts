import { setTimeout as sleep } from "node:timers/promises";
import { type AgentEvent, type AgentResult, type Person, runAgent } from "../../agent/index.ts";
import { scripted } from "../../models/index.ts";
import type { Outcome } from "../../protocol/index.ts";
import type { Style } from "../print/style.ts";
import type { Seen } from "./checks.ts";
import { eventLine, spokenLine } from "./lines.ts";
import type { DemoProject } from "./project.ts";
import { prompts, story } from "./story.ts";

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
  const person: Person = {
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
    person,
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

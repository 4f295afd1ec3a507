import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Engine, openEngine, type Ports } from "../../src/engine/internal.ts";
import type { Part, Script, Turn } from "../scripted-api/index.ts";
import type { Case } from "./case.ts";
import { type Facts, factsOf } from "./facts.ts";
import type { EngineHands } from "./occasion.ts";
import { occasionOf } from "./occasions/index.ts";
import { type Stage, setStage } from "./stage.ts";
import { filesIn, writeFiles } from "./world.ts";

/** Puts a case before the engine, with a host that does what its outcome says, and tells what became of it. */
export async function askEngine(item: Case): Promise<Facts> {
  const stage = await setStage(item);
  try {
    const engine = await openFor(item, stage);
    try {
      const before = await filesIn(stage.world.project);
      const sight = await occasionOf(stage.scene.event).carriedOut(handsOn(engine, stage), stage.scene);
      const after = await filesIn(stage.world.project);
      return factsOf(sight, item.interop.words ?? [], before, after, stage.requested());
    } finally {
      await engine.close();
    }
  } finally {
    await stage.clear();
  }
}

async function openFor({ interop }: Case, { world, given }: Stage): Promise<Engine> {
  const extra = (given.extra ?? []).map((settings, index): [string, string] => [
    `extra-${index}.json`,
    JSON.stringify(settings),
  ]);
  await writeFiles(world.root, Object.fromEntries(extra));
  return openEngine({
    cwd: world.project,
    home: world.home,
    env: { PATH: process.env["PATH"], HOME: world.home, LANG: "C.UTF-8", ...given.env },
    settings: extra.map(([name]) => join(world.root, name)),
    // A headless client runs the hooks of any folder.
    trust: "implicit",
    interactive: false,
    ports: portsOf(interop.script ?? {}, interop.server === true),
  });
}

function handsOn(engine: Engine, { scene, world }: Stage): EngineHands {
  const session = "11111111-2222-4333-8444-555555555555";
  const common = {
    session_id: session,
    transcript_path: `${world.home}/.claude/projects/project/${session}.jsonl`,
    cwd: scene.project,
    prompt_id: "66666666-7777-4888-9999-aaaaaaaaaaaa",
    permission_mode: "default",
  };
  const toolUse = "tool_name" in scene.payload ? { tool_use_id: "toolu_scripted_1_0" } : {};
  return {
    fire: (more = {}) => engine.fireUnknown(scene.event, { ...common, ...scene.payload, ...toolUse, ...more }),
    async late() {
      // As long as a client that has one short call more to make.
      for (let tries = 0; tries < 30 && engine.background.list().some(({ state }) => state !== "ended"); tries++) {
        await pause(50);
      }
      return engine.background.take(session).flatMap(({ texts }) => texts);
    },
  };
}

/** The model says to a hook what the script says for the purpose of the hook; the server is the one of the fixtures. */
function portsOf(script: Script, server: boolean): Ports {
  const replies = { prompt: turnsOf(script["prompt-hook"]), agent: turnsOf(script["agent-hook"]) };
  return {
    model: async () => replyOf(replies.prompt.shift()),
    agent: async () => replyOf(replies.agent.shift()),
    mcp: async (call) =>
      server && call.server === "srv"
        ? { connected: true, text: String(call.input["text"] ?? "the thing is done"), isError: false }
        : { connected: false },
  };
}

function turnsOf(turns: Script["main"]): Turn[] {
  return typeof turns === "function" ? [] : [...(turns ?? [])];
}

function replyOf(turn: Turn | undefined): unknown {
  const part = turn as Part | undefined;
  if (part === undefined) throw new Error("the script has no reply left for a hook");
  if (typeof part === "object") return "tool" in part ? part.input : part;
  try {
    return JSON.parse(part);
  } catch {
    // A model that does not keep to the form replies with text.
    return part;
  }
}

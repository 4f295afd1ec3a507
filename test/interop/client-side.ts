import type { Case, Given } from "./case.ts";
import { type ClientRun, runClient } from "./client.ts";
import { type Facts, factsOf } from "./facts.ts";
import type { Scene } from "./occasion.ts";
import { occasionOf } from "./occasions/index.ts";
import { type Stage, setStage } from "./stage.ts";
import { readTranscript } from "./transcript.ts";
import { filesIn } from "./world.ts";

/** Runs a case through the client and says what became of it. */
export async function askClient(item: Case, client: string): Promise<Facts & { readonly run: ClientRun }> {
  const stage = await setStage(item);
  try {
    const { run, facts } = await perform(item, client, stage);
    return { ...facts, run };
  } finally {
    await stage.clear();
  }
}

async function perform(item: Case, client: string, stage: Stage): Promise<{ run: ClientRun; facts: Facts }> {
  const { world, scene } = stage;
  const occasion = occasionOf(scene.event);
  const { before, script, args = [], ...drive } = occasion.drive(scene);
  const first = before && (await runClient({ client, world, ...before, args: ["--allowedTools", "Bash"] }));
  const filesBefore = await filesIn(world.project);
  const run = await runClient({
    ...drive,
    client,
    world,
    script: { ...script, ...item.interop.script },
    args: [...args, ...(item.interop.args ?? [])],
    env: item.interop.env ?? {},
    ...(first?.sessionId === undefined ? {} : { resume: first.sessionId }),
    ...(stage.given.settings === undefined ? {} : { settings: stage.given.settings }),
  });
  if (run.timedOut) throw new Error("the client did not end; its script may keep answering with tool calls");
  const transcript = run.sessionId === undefined ? [] : await readTranscript(world, run.sessionId);
  const sight = occasion.seen({ ...run, transcript, quoted: quotedNames(stage.given) }, scene satisfies Scene);
  const words = item.interop.words ?? [];
  return { run, facts: factsOf(sight, words, filesBefore, await filesIn(world.project), stage.requested()) };
}

/** How the client may quote any hook of the case; longest first, since one may be part of another. */
function quotedNames(given: Given): string[] {
  const names = new Set<string>();
  const visit = (value: unknown): void => {
    if (value === null || typeof value !== "object") return;
    for (const [key, member] of Object.entries(value)) {
      if (typeof member === "string" && ["command", "url", "prompt"].includes(key)) names.add(member);
      else visit(member);
    }
  };
  for (const layer of [given.settings, given.user, given.project, given.local]) visit(layer);
  return [...names].sort((a, b) => b.length - a.length);
}

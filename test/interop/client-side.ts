import { existsSync } from "node:fs";
import { cp } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Case, Given } from "./case.ts";
import { runClient } from "./client.ts";
import { type Facts, factsOf } from "./facts.ts";
import { occasionOf } from "./occasions/index.ts";
import { type Stage, setStage } from "./stage.ts";
import { readTranscript } from "./transcript.ts";
import { filesIn, type World } from "./world.ts";

/** Puts a case before Claude Code and tells what became of it. */
export async function askClient(item: Case, client: string): Promise<Facts> {
  const stage = await setStage(item);
  try {
    return await perform(item, client, stage);
  } finally {
    await stage.clear();
  }
}

async function perform({ interop }: Case, client: string, { world, given, scene, requested }: Stage): Promise<Facts> {
  const occasion = occasionOf(scene.event);
  const { before, script, args = [], ...drive } = occasion.drive(scene);
  const first =
    before && (await runClient({ ...before, client, world, ...withoutHooks, args: ["--allowedTools", "Bash"] }));
  const filesBefore = await filesIn(world.project);
  const run = await runClient({
    ...drive,
    client,
    world,
    script: { ...script, ...interop.script },
    args: [...args, ...(interop.args ?? [])],
    env: given.env ?? {},
    ...(first?.sessionId === undefined ? {} : { resume: first.sessionId }),
    ...(given.extra?.[0] === undefined ? {} : { settings: given.extra[0] }),
  });
  if (run.timedOut) throw new Error("Claude Code did not end; its script may keep answering with tool calls");
  await keepTranscripts(world);
  const transcript = run.sessionId === undefined ? [] : await readTranscript(world, run.sessionId);
  const sight = occasion.seen({ ...run, transcript, quoted: quotedNames(given) }, scene);
  return factsOf(sight, interop.words ?? [], filesBefore, await filesIn(world.project), requested());
}

/** What Claude Code wrote goes to the folder that `HOOKLINE_INTEROP_TRANSCRIPTS` names, for `npm run drift`. */
async function keepTranscripts({ root, home }: World): Promise<void> {
  const folder = process.env["HOOKLINE_INTEROP_TRANSCRIPTS"];
  const written = join(home, ".claude", "projects");
  if (folder === undefined || !existsSync(written)) return;
  await cp(written, join(folder, "projects", basename(root)), { recursive: true });
}

const withoutHooks = { settings: { disableAllHooks: true } };

/** How Claude Code may quote any hook of the case; longest first, since one may be part of another. */
function quotedNames(given: Given): string[] {
  const names = new Set<string>();
  const visit = (value: unknown): void => {
    if (value === null || typeof value !== "object") return;
    for (const [key, member] of Object.entries(value)) {
      if (typeof member === "string" && ["command", "url", "prompt"].includes(key)) names.add(member);
      else visit(member);
    }
  };
  for (const layer of [given.settings, given.project, given.local, given.extra]) visit(layer);
  return [...names].sort((a, b) => b.length - a.length);
}

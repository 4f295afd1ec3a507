import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { appendLines, ensureFolder, type Fs, replaceFile } from "../../files/internal.ts";
import type { SessionPlace } from "../find/session-files.ts";
import type { Item } from "../model/entry.ts";
import { applyPlan, type Repaired } from "./apply-repair.ts";
import type { Checked } from "./check-finding.ts";
import type { Mend } from "./repair-changes.ts";
import { planRepair } from "./repair-plan.ts";
import { examine } from "./validate-session.ts";

/** A mend may uncover what a flaw has hidden; no file we know needs more than two rounds. */
const mostRounds = 8;

/** Mends the files of a copied session until there is nothing left to mend. Mends are told by the original's paths. */
export async function mendCopy(
  copy: SessionPlace,
  original: SessionPlace,
  fs: Fs,
  uuid: () => string,
): Promise<Mend[]> {
  const mends: Mend[] = [];
  for (let round = 0; round < mostRounds; round += 1) {
    const session = await examine(copy, false);
    const plan = planRepair(session, uuid);
    if (plan.mends.length === 0) break;
    for (const mend of plan.mends) {
      mends.push({ ...mend, file: join(original.folder, relative(copy.folder, mend.file)) });
    }
    const files = new Set([...[...plan.changes.keys()].map(({ file }) => file), ...plan.tails.map(({ file }) => file)]);
    for (const file of files) {
      const repaired = applyPlan(file, await readFile(file), itemsIn(file, session), plan);
      await keepAside(repaired, relative(copy.folder, file), copy, fs);
      await replaceFile(file, repaired.bytes, { fs });
    }
  }
  return mends;
}

function itemsIn(file: string, { threads }: Checked): Item[] {
  const items = threads.flatMap((thread) => thread.items.filter((item) => item.file === file));
  return items.sort((a, b) => a.offset - b.offset);
}

/** Beside the session, in `<session>/hookline-set-aside.jsonl`, a line for each thing that was taken out. */
async function keepAside({ aside }: Repaired, file: string, copy: SessionPlace, fs: Fs): Promise<void> {
  if (aside.length === 0) return;
  const folder = join(copy.folder, copy.id);
  await ensureFolder(folder, fs);
  const lines = aside.map(({ why, content, line, offset }) =>
    JSON.stringify({ file, line, offset, why, ...asJson(content) }),
  );
  await appendLines(join(folder, "hookline-set-aside.jsonl"), lines, { fs, durable: true });
}

function asJson(content: unknown): Record<string, unknown> {
  if (!(content instanceof Uint8Array)) return { content };
  const bytes = Buffer.from(content);
  const text = bytes.toString("utf8");
  return Buffer.from(text).equals(bytes) ? { text } : { base64: bytes.toString("base64") };
}

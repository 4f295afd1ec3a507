import { randomUUID } from "node:crypto";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "../../exec/index.ts";
import { errorCode, type HomeSource, lifeOf, type Owner, openFolder, openState, ownOwner } from "../../files/index.ts";

/** A private folder with settings that add three hooks and take nothing away, where these hooks leave what they were told. */
export interface Overlay {
  readonly folder: string;
  readonly settingsFile: string;
  /** A FIFO that is poked after each payload; absent where none can be made. */
  readonly poke?: string;
  remove(): Promise<void>;
}

/** Contract: sweeps what runs of dead processes left. */
export async function makeOverlay(settings: Readonly<Record<string, unknown>>, source: HomeSource): Promise<Overlay> {
  const root = await openState(["ask"], source);
  await sweep(root);
  const folder = join(root, randomUUID());
  await openFolder(folder);
  await writeFile(join(folder, "owner.json"), JSON.stringify(ownOwner()), { mode: 0o600 });
  const poke = await makeFifo(join(folder, "poke"));
  const settingsFile = join(folder, "settings.json");
  await writeFile(settingsFile, JSON.stringify(withHooks(settings, dropCommand(folder))), { mode: 0o600 });
  return {
    folder,
    settingsFile,
    ...(poke === undefined ? {} : { poke }),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

const events = ["Stop", "StopFailure", "SessionEnd"];

/** The given settings with one more hook on each of the three events. */
function withHooks(settings: Readonly<Record<string, unknown>>, command: string): object {
  const hooks = asObject(settings["hooks"]);
  const added = events.map((event) => {
    const groups = hooks[event];
    const own = { hooks: [{ type: "command", command, timeout: 5 }] };
    return [event, [...(Array.isArray(groups) ? groups : []), own]];
  });
  return { ...settings, hooks: { ...hooks, ...Object.fromEntries(added) } };
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/**
 * Leaves the payload whole by a rename, then pokes. A FIFO opened for reading and writing never blocks, whoever listens. Prints nothing
 * and ends well whatever happens: this hook must change nothing.
 */
function dropCommand(folder: string): string {
  const quoted = `'${folder.replaceAll("'", `'\\''`)}'`;
  return [
    `d=${quoted}`,
    't="$d/part-$$"',
    '{ cat > "$t" && mv "$t" "$d/told-$(date +%s)-$$.json"; } 2> /dev/null',
    '[ -p "$d/poke" ] && printf . 1<> "$d/poke"',
    "exit 0",
  ].join("; ");
}

/** Node cannot make one; where the program is missing, looking every 100 ms has to do. */
async function makeFifo(path: string): Promise<string | undefined> {
  if (process.platform === "win32") return undefined;
  const line = { form: "exec", file: "mkfifo", args: ["-m", "600", path] } as const;
  const { ended } = await run(line, { cwd: "/", env: process.env, timeoutMs: 5_000 });
  return ended.by === "exit" && ended.code === 0 ? path : undefined;
}

async function sweep(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    const folder = join(root, name);
    if ((await ownerIn(folder)) === "gone") await rm(folder, { recursive: true, force: true });
  }
}

async function ownerIn(folder: string): Promise<"gone" | "there"> {
  try {
    const owner = JSON.parse(await readFile(join(folder, "owner.json"), "utf8")) as Owner;
    return lifeOf(owner) === "dead" ? "gone" : "there";
  } catch (error) {
    // One that is just being made has no owner yet, and one that cannot be read is not ours to remove.
    if (errorCode(error) === "ENOENT" || error instanceof SyntaxError) return "there";
    throw error;
  }
}

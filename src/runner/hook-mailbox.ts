import { randomUUID } from "node:crypto";
import { open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  closeAfter,
  errorCode,
  type HomeSource,
  ignoringErrors,
  livenessOf,
  openFlags,
  openFolder,
  openState,
  ownIdentity,
  type ProcessIdentity,
} from "../files/internal.ts";
import { isObject, parseObject } from "../protocol/internal.ts";

export type HookPayload = Readonly<Record<string, unknown>>;

/**
 * Opens a mailbox: a private folder with settings that add three hooks, in which these hooks leave their payloads. It is read every
 * 100 ms and at its end. Contract: removes what dead processes left.
 */
export async function openHookMailbox(
  settings: Readonly<Record<string, unknown>>,
  source: HomeSource,
  onPayload: (payload: HookPayload) => void,
) {
  const { folder, settingsFile } = await makeFolder(settings, source);
  const names = new Set<string>();
  const payloads: HookPayload[] = [];
  let reading = Promise.resolve();

  async function readNew(): Promise<void> {
    const found = (await ignoringErrors(["ENOENT"], readdir(folder))) ?? [];
    for (const name of found.filter((one) => one.startsWith("told-") && !names.has(one)).sort()) {
      names.add(name);
      const payload = await readPayload(join(folder, name));
      if (payload === undefined) continue;
      payloads.push(payload);
      onPayload(payload);
    }
  }

  const queueRead = (): Promise<void> => {
    reading = reading.then(readNew);
    return reading;
  };
  // A failure stays in `reading`, and `finish` reports it.
  const timer = setInterval(() => void queueRead().catch(() => undefined), 100);
  return {
    settingsFile,
    /** The payloads so far, each once. */
    payloads: payloads as readonly HookPayload[],
    /** Reads what is left, stops reading and removes the folder. */
    async finish(): Promise<void> {
      clearInterval(timer);
      await queueRead();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function makeFolder(settings: Readonly<Record<string, unknown>>, source: HomeSource) {
  const root = await openState(["ask"], source);
  await sweep(root);
  const folder = join(root, randomUUID());
  await openFolder(folder);
  await writeFile(join(folder, "owner.json"), JSON.stringify(ownIdentity()), { mode: 0o600 });
  const settingsFile = join(folder, "settings.json");
  await writeFile(settingsFile, JSON.stringify(withHooks(settings, dropCommand(folder))), { mode: 0o600 });
  return { folder, settingsFile };
}

const events = ["Stop", "StopFailure", "SessionEnd"];

/** The given settings with one more hook on each of the three events. */
function withHooks(settings: Readonly<Record<string, unknown>>, command: string): object {
  const hooks = isObject(settings["hooks"]) ? settings["hooks"] : {};
  const added = events.map((event) => {
    const groups = hooks[event];
    const own = { hooks: [{ type: "command", command, timeout: 5 }] };
    return [event, [...(Array.isArray(groups) ? groups : []), own]];
  });
  return { ...settings, hooks: { ...hooks, ...Object.fromEntries(added) } };
}

/** Writes the payload atomically by a rename. Prints nothing and ends well whatever happens: this hook must change nothing. */
function dropCommand(folder: string): string {
  const quoted = `'${folder.replaceAll("'", `'\\''`)}'`;
  return [
    `d=${quoted}`,
    't="$d/part-$$"',
    '{ cat > "$t" && mv "$t" "$d/told-$(date +%s)-$$.json"; } 2> /dev/null',
    "exit 0",
  ].join("; ");
}

async function sweep(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    const folder = join(root, name);
    if (await isAbandoned(folder)) await rm(folder, { recursive: true, force: true });
  }
}

async function isAbandoned(folder: string): Promise<boolean> {
  try {
    const owner = JSON.parse(await readFile(join(folder, "owner.json"), "utf8")) as ProcessIdentity;
    return livenessOf(owner) === "dead";
  } catch (error) {
    // A new folder has no owner yet, and one that cannot be read is not ours to remove.
    if (errorCode(error) === "ENOENT" || error instanceof SyntaxError) return false;
    throw error;
  }
}

/** Reads one payload. Programs of the agent can write here too: such a file must neither block nor stop the runner. */
async function readPayload(path: string): Promise<HookPayload | undefined> {
  try {
    const file = await open(path, openFlags.reading);
    return await closeAfter(file, async () => {
      const { size } = await file.stat();
      // A folder cannot be read, and a pipe or a device has no size.
      if (size > maxPayloadBytes) return undefined;
      const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, 0);
      return parseObject(buffer.toString("utf8", 0, bytesRead));
    });
  } catch {
    return undefined; // not a file of the hook: those are complete
  }
}

const maxPayloadBytes = 64 * 2 ** 20;

import { randomUUID } from "node:crypto";
import { constants, openSync } from "node:fs";
import { open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { Socket } from "node:net";
import { join } from "node:path";
import { runProcess } from "../exec/internal.ts";
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
 * Opens a mailbox: a private folder with settings that add three hooks, in which these hooks leave their payloads. The hooks signal each
 * payload through a FIFO; the folder is also read every 100 ms, in case a signal is lost. Contract: removes what dead processes left.
 */
export async function openHookMailbox(
  settings: Readonly<Record<string, unknown>>,
  source: HomeSource,
  onPayload: (payload: HookPayload) => void,
) {
  const { folder, settingsFile, poke } = await makeFolder(settings, source);
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
  const timer = setInterval(queueRead, 100);
  const fifo = poke === undefined ? undefined : openFifo(poke, queueRead);
  return {
    settingsFile,
    /** The payloads so far, each once. */
    payloads: payloads as readonly HookPayload[],
    /** Reads what is left, stops reading and removes the folder. */
    async finish(): Promise<void> {
      clearInterval(timer);
      fifo?.destroy();
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
  const poke = await makeFifo(join(folder, "poke"));
  const settingsFile = join(folder, "settings.json");
  await writeFile(settingsFile, JSON.stringify(withHooks(settings, dropCommand(folder))), { mode: 0o600 });
  return { folder, settingsFile, poke };
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

/**
 * Writes the payload atomically by a rename, then signals. A FIFO opened for reading and writing never blocks. Prints nothing
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

/** Node cannot make a FIFO. Where the program is missing, the folder is only read every 100 ms. */
async function makeFifo(path: string): Promise<string | undefined> {
  if (process.platform === "win32") return undefined;
  const line = { form: "exec", file: "mkfifo", args: ["-m", "600", path] } as const;
  const { ended } = await runProcess(line, { cwd: "/", env: process.env, timeoutMs: 5_000 });
  return ended.by === "exit" && ended.code === 0 ? path : undefined;
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

/** Opened for writing too: otherwise it would be at its end whenever no other process has it open. */
function openFifo(path: string, onPoke: () => void): Socket {
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const fifo = new Socket({ fd, readable: true, writable: false });
  fifo.on("data", onPoke);
  // The folder is still read every 100 ms.
  fifo.on("error", () => fifo.destroy());
  return fifo;
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

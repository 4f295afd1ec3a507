import { constants, openSync } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { Socket } from "node:net";
import { join } from "node:path";
import { unless } from "../../files/index.ts";
import type { Overlay } from "./overlay.ts";

export type ToldPayload = Readonly<Record<string, unknown>>;

/** The payloads that the overlay's hooks leave, each once, as they come. */
export interface Told {
  readonly payloads: readonly ToldPayload[];
  /** Looks a last time and stops listening. */
  finish(): Promise<void>;
}

/** A poke is answered at once; the folder is looked at every 100 ms besides, so a lost poke costs no more than that. */
export function listenTo(overlay: Overlay, onPayload: (payload: ToldPayload) => void): Told {
  const seen = new Set<string>();
  const payloads: ToldPayload[] = [];
  let looking = Promise.resolve();

  async function look(): Promise<void> {
    const found = (await unless(["ENOENT"], readdir(overlay.folder))) ?? [];
    const names = found.filter((name) => name.startsWith("told-") && !seen.has(name)).sort();
    for (const name of names) {
      seen.add(name);
      const payload = await readPayload(join(overlay.folder, name));
      if (payload === undefined) continue;
      payloads.push(payload);
      onPayload(payload);
    }
  }

  const lookSoon = (): Promise<void> => {
    looking = looking.then(look);
    return looking;
  };
  const timer = setInterval(lookSoon, 100);
  const fifo = overlay.poke === undefined ? undefined : openFifo(overlay.poke, lookSoon);
  return {
    payloads,
    async finish() {
      clearInterval(timer);
      fifo?.destroy();
      await lookSoon();
    },
  };
}

/** Opened for writing too: otherwise it would be at its end whenever nobody else has it open. */
function openFifo(path: string, onPoke: () => void): Socket {
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const fifo = new Socket({ fd, readable: true, writable: false });
  fifo.on("data", onPoke);
  // Looking at the folder goes on without it.
  fifo.on("error", () => fifo.destroy());
  return fifo;
}

/** Whatever lies there under such a name: what the agent starts can write here too, and must neither hold nor end us. */
async function readPayload(path: string): Promise<ToldPayload | undefined> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const { size } = await file.stat();
      // A folder cannot be read, and a pipe or a device has no size.
      if (size > mostPayloadBytes) return undefined;
      const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, 0);
      const value: unknown = JSON.parse(buffer.toString("utf8", 0, bytesRead));
      return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as ToldPayload) : undefined;
    } finally {
      await file.close();
    }
  } catch {
    return undefined; // none of the hook's: those are whole, and there
  }
}

const mostPayloadBytes = 64 * 2 ** 20;

import { constants, openSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { Socket } from "node:net";
import { join } from "node:path";
import { errorCode, unless } from "../../files/index.ts";
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

async function readPayload(file: string): Promise<ToldPayload | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(file, "utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as ToldPayload) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

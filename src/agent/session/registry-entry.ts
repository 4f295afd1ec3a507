import { randomBytes } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { endLeftovers, findLeftovers, runTag } from "../../exec/internal.ts";
import { ignoringErrors, openFolder, processStart, replaceFile } from "../../files/internal.ts";
import { fieldOf, parseJson } from "../../protocol/internal.ts";
import { liveSessions } from "../../sessions/internal.ts";
import type { AgentOptions } from "../agent-options.ts";

type Status = "busy" | "idle" | "waiting";

/** This process's line in the registry of running sessions, `sessions/<pid>.json`. */
export interface RegistryEntry {
  readonly status: Status;
  set(status: Status, waitingFor?: string): Promise<void>;
  rename(name: string): Promise<void>;
  /** `/clear` continues under another id. */
  move(sessionId: string): Promise<void>;
  remove(): Promise<void>;
}

/** Contract: each change replaces the whole file. A file that cannot be written is reported once and is not an error. */
export async function openRegistryEntry(
  { root, id }: { readonly root: string; readonly id: string },
  options: AgentOptions,
  warn: (text: string) => void,
): Promise<RegistryEntry> {
  if (!options.persist) return silent;
  const { clock, cwd, interactive, version } = options;
  const folder = join(root, "sessions");
  const file = join(folder, `${process.pid}.json`);
  let entry: Readonly<Record<string, unknown>> = {
    pid: process.pid,
    sessionId: id,
    cwd,
    startedAt: Math.round(clock.now()),
    procStart: processStart(process.pid) ?? "",
    version,
    kind: interactive ? "interactive" : "print",
    entrypoint: "hookline",
    // Identifies the processes of the session after this one was killed.
    runTag: options.env[runTag] ?? "",
    ...(options.name === undefined
      ? { name: `${basename(cwd)}-${randomBytes(1).toString("hex")}`, nameSource: "derived" }
      : { name: options.name }),
  };
  let lastWrite: Promise<void> = Promise.resolve();
  let isReported = false;
  let isRemoved = false;

  /** Sets fields; undefined removes one. */
  function change(fields: Readonly<Record<string, unknown>>): Promise<void> {
    // A turn that outlived the session must not write the entry again.
    if (isRemoved) return lastWrite;
    entry = { ...entry, ...fields };
    const text = JSON.stringify(entry);
    lastWrite = lastWrite.then(() => replaceFile(file, text).then(() => undefined)).catch(reportOnce);
    return lastWrite;
  }

  function reportOnce(error: unknown): void {
    if (!isReported) warn(`${file} cannot be written: ${String(error)}`);
    isReported = true;
  }

  await openFolder(folder);
  await sweep(root, id, warn);
  let status: Status = "busy";
  return {
    get status() {
      return status;
    },
    set(next, waitingFor) {
      status = next;
      const now = Math.round(clock.now());
      return change({ status, updatedAt: now, statusUpdatedAt: now, waitingFor });
    },
    rename: (name) => change({ name, nameSource: undefined }),
    move: (sessionId) => change({ sessionId }),
    async remove() {
      isRemoved = true;
      await lastWrite;
      await rm(file, { force: true });
    },
  };
}

/** Removes the entries of dead processes, and ends processes that a killed predecessor of this session left running. */
async function sweep(root: string, id: string, warn: (text: string) => void): Promise<void> {
  const all = await liveSessions({ roots: [{ path: root, origin: "hookline" }], all: true });
  for (const { file, live, sessionId } of all) {
    if (live !== "no") continue;
    if (sessionId === id) await endPredecessor(file, warn);
    await rm(file, { force: true });
  }
}

/** A normal end removes the entry, so the process of a remaining entry was killed. */
async function endPredecessor(file: string, warn: (text: string) => void): Promise<void> {
  const text = (await ignoringErrors(["ENOENT"], readFile(file, "utf8"))) ?? "";
  // A killed process may have written it incompletely.
  const tag = fieldOf(parseJson(text), "runTag");
  if (typeof tag !== "string" || tag === "") return;
  const left = await findLeftovers(runTag, `${tag}/`);
  if (left.length === 0) return;
  const names = left.map(({ name, pid }) => `${name} (pid ${pid})`).join(", ");
  const stuck = endLeftovers(left);
  if (stuck.length === 0) warn(`The session was killed and left processes running; they were terminated: ${names}.`);
  else warn(`The session was killed and left processes that cannot be terminated: ${names}.`);
}

const doNothing = async (): Promise<void> => undefined;

const silent: RegistryEntry = { status: "busy", set: doNothing, rename: doNothing, move: doNothing, remove: doNothing };

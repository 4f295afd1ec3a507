import { readdir, readFile, readlink } from "node:fs/promises";
import { connect } from "node:net";
import { readSourceText } from "../../engine/internal.ts";
import { eventRow, isEventName, Problem } from "../../protocol/internal.ts";
import { appKey } from "../../sdk/internal.ts";
import { type DriftReport, drift, type InstalledApp, namesOf, noDrift, repairCommand } from "../drift/advice.ts";
import { type HttpConsent, type InstallTarget, installScopes, scopeFiles, unlessProblem } from "./install-places.ts";
import { ownHttpHooks } from "./own-entries.ts";

/** Where http entries reach an app. */
export interface HttpEndpoint {
  readonly port: number;
  readonly token: string;
  /** `http://127.0.0.1:<port>/v1/hook/<key>` */
  readonly url: string;
}

/** Whether an answer to this event can change what happens: refuse, allow, rewrite or stop. Context alone decides nothing. */
export function canDecide(event: string): boolean {
  // An event that is not in the catalog may decide anything.
  if (!isEventName(event)) return true;
  const { decisions, blocks, blockWord, onStop, answers } = eventRow(event);
  const steers = answers.some((name) => name !== "additionalContext");
  return decisions.length > 0 || blocks !== null || blockWord || onStop !== "ignore" || steers;
}

/**
 * An http entry names a port. A process that listens there while the daemon is down gets the token and the events, and answers them.
 * Contract: entries that the user has not agreed to are a `Problem`.
 */
export function checkConsent(
  events: readonly string[],
  { tokenEnv, httpConsent = {} }: { readonly tokenEnv?: string; readonly httpConsent?: HttpConsent },
): void {
  const deciding = events.filter(canDecide);
  if (deciding.length > 0 && httpConsent.decisions !== true) {
    const message = `Over http, a process that takes the port while the daemon is not running decides ${deciding.join(", ")} and gets the token. Use --transport client, which checks who answers, or add --allow-http-decisions.`;
    throw new Problem("install/http-decides", message, { about: { events: deciding } });
  }
  if (events.length > 0 && tokenEnv === undefined && httpConsent.literalToken !== true) {
    const message =
      "An http entry needs the daemon's token. Name a variable that holds it (--token-env NAME), or add --literal-token to write it into the settings file.";
    throw new Problem("install/literal-token", message);
  }
}

/** The report on http entries in a settings file: a note if the user agreed to them, otherwise a finding. */
export function httpReport({ entries, record }: Pick<InstalledApp, "entries" | "record">): DriftReport {
  const found = entries.flatMap(ownHttpHooks);
  const [first] = found;
  if (first === undefined) return noDrift;
  const decides = found.some(({ event }) => canDecide(event));
  const holdsToken = found.some(({ hook }) => /^Bearer [^$]/.test(String(hook.headers?.["Authorization"] ?? "")));
  const { decisions, literalToken } = record?.httpConsent ?? {};
  const agreed = record?.httpConsent !== undefined && (!decides || decisions) && (!holdsToken || literalToken);
  const port = URL.canParse(first.hook.url) ? `port ${new URL(first.hook.url).port}` : "the port";
  const gains = decides ? "gets the token and the events, and decides" : "gets the token and the events";
  const message = `The entries for ${namesOf(found)} use http: a process that takes ${port} while the daemon is not running ${gains}.`;
  return agreed
    ? { drift: [], notes: [`${message} You agreed to this at install.`] }
    : { drift: [drift("http-entry", `${message} hookline install replaces them.`)], notes: [] };
}

/** Whether the settings file of any scope has an http entry for this app. */
export async function hasHttpEntries(hooksFile: string, target: InstallTarget): Promise<boolean> {
  // Outside every project there is the user's scope alone.
  const places = installScopes.flatMap((scope) => unlessProblem(() => scopeFiles(scope, target)) ?? []);
  const texts = await Promise.all(places.map(({ settingsFile }) => readSourceText(settingsFile)));
  // A file that cannot be read is reported by the command that edits it.
  return texts.some((text) => text !== undefined && namesApp(text, hooksFile));
}

export function namesApp(settings: string, hooksFile: string): boolean {
  return settings.includes(`/v1/hook/${appKey(hooksFile)}`);
}

/** An http entry names a port; any process that listens there gets the events. */
export async function strangerOnPort(
  app: InstalledApp,
  daemon: Pick<HttpEndpoint, "port"> | undefined,
): Promise<string | undefined> {
  const url = app.entries.flatMap(ownHttpHooks).find(({ hook }) => URL.canParse(hook.url))?.hook.url;
  const port = url === undefined ? undefined : Number(new URL(url).port);
  if (port === undefined || daemon?.port === port) return undefined;
  const owner = await listenerOn(port);
  if (owner === undefined) return undefined;
  return `Port ${port}, which the http entries name, is taken by ${owner}. ${repairCommand(app)} chooses another.`;
}

/** The process that listens on a port of this machine's own address, as text; undefined when none does. */
async function listenerOn(port: number): Promise<string | undefined> {
  if (!(await answers(port))) return undefined;
  const pid = process.platform === "linux" ? await ownerOf(port) : undefined;
  if (pid === undefined) return "an unknown process";
  const name = await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "");
  return `process ${pid}${name === "" ? "" : ` (${name.trim()})`}`;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    const done = (is: boolean) => {
      socket.destroy();
      resolve(is);
    };
    socket.setTimeout(1_000, () => done(true));
    socket.once("connect", () => done(true));
    socket.once("error", () => done(false));
  });
}

/** The kernel lists sockets by number, and a process shows its sockets as links. */
async function ownerOf(port: number): Promise<string | undefined> {
  // Files may vanish meanwhile, or belong to another user.
  const tables = ["/proc/net/tcp", "/proc/net/tcp6"].map((path) => readFile(path, "utf8").catch(() => ""));
  const lines = (await Promise.all(tables)).join("\n").split("\n");
  const inodes = new Set(lines.flatMap((line) => listeningInode(line, port)));
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    for (const fd of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
      const link = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => "");
      if (inodes.has(/^socket:\[(\d+)\]$/.exec(link)?.[1] ?? "")) return pid;
    }
  }
  return undefined;
}

function listeningInode(line: string, port: number): readonly string[] {
  const [, local = "", , state, , , , , , inode = ""] = line.trim().split(/\s+/);
  const isOurs = state === "0A" && Number.parseInt(local.split(":")[1] ?? "", 16) === port;
  return isOurs && inode !== "" ? [inode] : [];
}

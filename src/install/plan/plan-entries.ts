import {
  type AppMethod,
  type CommandHook,
  catalog,
  defined,
  type EventRow,
  escapeRegExp,
  type HttpHook,
  type MatchedField,
  Problem,
} from "../../protocol/internal.ts";
import { defaultDeadline, type FailureMode, type HandledEvent, needsCommand } from "../../sdk/internal.ts";
import { namesOf } from "../drift/advice.ts";
import type { LockFile } from "../edit/install-record.ts";
import { failClosedCommand, failClosedLine, type HookCommands, shellLine } from "./hook-command.ts";
import { checkConsent, type HttpEndpoint } from "./http-entries.ts";
import type { AskedTransport, HttpConsent, InstallScope, Transport } from "./install-places.ts";
import type { PlannedEntry } from "./own-entries.ts";

/** What the user asked for. */
export interface EntryChoices {
  readonly scope: InstallScope;
  readonly transport: AskedTransport;
  readonly allEvents?: boolean;
  /** Writes command entries as one line for a shell. */
  readonly shellForm?: boolean;
  /** The header is then `Bearer $NAME`, and the token is in no file. */
  readonly tokenEnv?: string;
  /** What the user agrees to about http entries. */
  readonly httpConsent?: HttpConsent;
  /** Still takes the slow transport for MessageDisplay. */
  readonly force?: boolean;
}

/** The same with what this machine can run. */
interface TransportOptions extends EntryChoices {
  /** Why the warm transports cannot be used here; absent when they can. */
  readonly cold?: string;
  /** Whether there is a `sh`, which a `run` entry needs to refuse when Node itself crashes. */
  readonly sh?: boolean;
}

export interface PlanOptions extends TransportOptions {
  readonly calls: HookCommands;
  /** Needed when a planned entry is http. */
  readonly endpoint?: HttpEndpoint;
}

/** One entry per event, in the catalog's order, unknown events last. Pure. */
export function planEntries(needs: readonly HandledEvent[], options: PlanOptions): readonly PlannedEntry[] {
  const chosen = transportsFor(needs, options);
  return [...chosen].map(([event, transport]) => {
    const need = needs.find((one) => one.event === event) ?? nothingNeeded(event);
    const matcher = options.allEvents ? undefined : matcherOf(event, need.ids, rowOf(event)?.matchesOn ?? null);
    const hook = hookFor(need, transport, options);
    return { event, transport, group: { ...defined({ matcher }), hooks: [hook] } };
  });
}

/** Whether any entry will need a port and a token; asked before there are any. */
export function needsEndpoint(needs: readonly HandledEvent[], options: TransportOptions): boolean {
  return [...transportsFor(needs, options).values()].includes("http");
}

function transportsFor(needs: readonly HandledEvent[], options: TransportOptions): ReadonlyMap<string, Transport> {
  const { transport, allEvents, scope, force } = options;
  if (transport === "http" && scope === "project") {
    const message =
      "A committed file must not contain a port or a token, so http entries go to --scope user or local. Use --transport client here.";
    throw new Problem("install/http-in-project", message);
  }
  const warm = transport !== "run" && options.cold === undefined;
  if (allEvents && !warm) {
    const message =
      "--all-events would start a Node process for every event; it needs a warm transport (client or http).";
    throw new Problem("install/not-warm", message);
  }
  if (!warm && (transport === "http" || transport === "client")) {
    const message = `--transport ${transport} needs the client, which cannot run here: ${options.cold}. Use --transport run.`;
    throw new Problem("install/not-warm", message);
  }
  const known = Object.keys(rows);
  const revivers = warm ? known.filter((event) => rowOf(event)?.app.revives) : [];
  const wanted = new Set([...needs.map(({ event }) => event), ...revivers, ...(allEvents ? known : [])]);
  const ordered = [...known.filter((event) => wanted.delete(event)), ...wanted];
  const chosen = new Map(ordered.map((event) => [event, warm ? warmTransport(event, transport) : ("run" as const)]));
  checkConsent(
    ordered.filter((event) => chosen.get(event) === "http"),
    options,
  );
  const slow = ordered.find((event) => chosen.get(event) === "run" && rowOf(event)?.app.frequent);
  if (slow !== undefined && !force) {
    const message = `${slow} comes with every few lines, and the run transport starts a Node process each time. Use a warm transport, or --force.`;
    throw new Problem("install/slow-display", message);
  }
  return chosen;
}

/** What the choice of transports means for the user. */
export function transportNotes(
  planned: readonly PlannedEntry[],
  { scope, transport, cold: why, sh }: TransportOptions,
): readonly string[] {
  const open = planned.filter((one) => one.transport === "run" && one.group.hooks[0].onFailure === "block");
  const http = planned.filter((one) => one.transport === "http");
  const cold = `The client cannot run here, so every event starts Node (run): ${why}.`;
  const withoutSh = `There is no sh in PATH, so ${namesOf(open)} lets the action pass when Node itself crashes or cannot be started.`;
  const inLocalFile =
    "Entries of a local file reach this machine only where the host allows it (httpHookAllowPrivate in user settings).";
  const overHttp = `Over http, ${namesOf(http)} proceeds when the daemon is down, and a process that takes its port gets the token and answers.`;
  return [
    ...(transport === "auto" && why !== undefined ? [cold] : []),
    ...(open.length > 0 && !sh ? [withoutSh] : []),
    ...(http.length > 0 && scope === "local" ? [inLocalFile] : []),
    ...(http.length > 0 ? [overHttp] : []),
  ];
}

/** An agent that posts to a port cannot check who answers, and lets the action proceed without an answer: http is opt-in. */
function warmTransport(event: string, asked: AskedTransport): "http" | "client" {
  if (asked !== "http") return "client";
  // Nothing but the client starts a daemon.
  if (rowOf(event)?.app.revives || needsCommand(event)) return "client";
  return rowOf(event)?.types.includes("http") === true ? "http" : "client";
}

function hookFor(need: HandledEvent, transport: Transport, options: PlanOptions): CommandHook | HttpHook {
  const { event, onFailure, deadlineMs } = need;
  const common = {
    // The app settles first: a host that runs into its own limit lets the action go on. Loading has a limit of ten seconds.
    timeout: Math.ceil(deadlineMs / 1_000) + (onFailure === "block" ? 15 : 5),
    ...(onFailure === "block" && refusesOnFailure(event) ? { onFailure } : {}),
  };
  if (transport === "http") return httpHook(onFailure, common, options);
  const call = [...options.calls[transport], "--on-failure", onFailure, "--event", event];
  // The client does this by itself.
  const closes = transport === "run" && onFailure === "block" && options.sh === true && refusesOnFailure(event);
  if (options.shellForm)
    return { type: "command", command: closes ? failClosedLine(call) : shellLine(call), ...common };
  const [command = "", ...args] = closes ? failClosedCommand(call) : call;
  return { type: "command", command, args, ...common };
}

/** Whether a failure can refuse what the event is about. Where it would only keep the agent at work, a crash must not repeat that forever. */
export function refusesOnFailure(event: string): boolean {
  return rowOf(event)?.onFailure === "guard";
}

function httpHook(
  onFailure: FailureMode,
  common: Pick<HttpHook, "timeout" | "onFailure">,
  { endpoint, tokenEnv }: PlanOptions,
): HttpHook {
  if (endpoint === undefined) throw new TypeError("an http entry needs an endpoint");
  // By the second argument our own engine knows that only the daemon may get the token.
  const url = `${endpoint.url}?on-failure=${onFailure}&daemon`;
  const headers = { Authorization: `Bearer ${tokenEnv === undefined ? endpoint.token : `$${tokenEnv}`}` };
  return { type: "http", url, headers, ...(tokenEnv === undefined ? {} : { allowedEnvVars: [tokenEnv] }), ...common };
}

function nothingNeeded(event: string): HandledEvent {
  return { event, ids: [event], onFailure: "continue", deadlineMs: defaultDeadline(event) };
}

type Row = EventRow & { readonly app: AppMethod };
const rows: Readonly<Record<string, Row>> = catalog;

function rowOf(event: string): Row | undefined {
  return Object.hasOwn(rows, event) ? rows[event] : undefined;
}

/**
 * The matcher for an event's entry: `A|B` when all handlers name what they are for, an anchored expression when patterns are among
 * the names, none when any handler takes all. The app compares again, so a matcher may let too much through and never too little.
 */
export function matcherOf(event: string, ids: readonly string[], field: MatchedField | null): string | undefined {
  if (field === null) return undefined;
  const names = [...new Set(ids.map((id) => id.slice(event.length + 1)))].sort();
  if (names.some((name) => name === "" || /^\*+$/.test(name))) return undefined;
  const patterns = names.map((name) => name.split("*").map(escapeRegExp).join(".*"));
  const matcher = listed(names, field) ?? `^(?:${patterns.join("|")})$`;
  return matcher.length > longest ? undefined : matcher;
}

/**
 * Whether an entry's matcher lets all through that a lock file says the handlers are for: it is the one that install wrote, or it takes
 * everything. Of an event that the lock file does not name, nothing is known.
 */
export function isMatcherAsLocked(matcher: unknown, event: string, lock: LockFile): boolean {
  const { hooksRegistered, allEvents } = lock;
  if (matcher === undefined || matcher === "" || matcher === "*") return true;
  const ids = hooksRegistered.filter((id) => id === event || id.startsWith(`${event}:`));
  const field = rowOf(event)?.matchesOn ?? null;
  if (ids.length === 0 || field === null) return true;
  return matcher === (allEvents ? undefined : matcherOf(event, ids, field));
}

/** Hosts refuse longer ones. */
const longest = 1_000;

/** Names as a list, where no host would take one of them for an expression. */
function listed(names: readonly string[], field: MatchedField): string | undefined {
  // Files are watched by the names in the list, so an expression would watch none of them.
  const plain = field.part === "basename" ? /^[^|*]+$/ : field.narrow ? /^[A-Za-z0-9_]+$/ : /^[A-Za-z0-9_-]+$/;
  return names.every((name) => plain.test(name)) ? names.join("|") : undefined;
}

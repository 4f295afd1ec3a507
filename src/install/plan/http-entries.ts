import { readSourceText } from "../../engine/internal.ts";
import { catalog, type EventRow, Problem } from "../../protocol/internal.ts";
import { appKey } from "../../sdk/internal.ts";
import { type Drift, drift } from "../drift/advice.ts";
import type { InstallRecord } from "../edit/install-record.ts";
import { type InstallTarget, installScopes, scopeFiles } from "./install-places.ts";
import { type OwnEntry, ownHooks } from "./own-entries.ts";

/** What the user agreed to about entries of type http. */
export interface HttpConsent {
  /** Entries for events whose answer decides something. */
  readonly decisions?: true;
  /** A token that is written into the settings file. */
  readonly literalToken?: true;
}

/** Whether an answer to this event can change what happens: refuse, allow, rewrite or stop. Context alone decides nothing. */
export function canDecide(event: string): boolean {
  const rows: Readonly<Record<string, EventRow>> = catalog;
  const row = Object.hasOwn(rows, event) ? rows[event] : undefined;
  // Nothing is known of an event that is not in the catalog.
  if (row === undefined) return true;
  const { decisions, blocks, blockWord, onStop, answers } = row;
  const steers = answers.some((name) => name !== "additionalContext");
  return decisions.length > 0 || blocks !== null || blockWord || onStop !== "ignore" || steers;
}

/**
 * An http entry names a port. A process that listens there while the daemon is down gets the token and the events, and answers them.
 * Contract: entries that the user has not agreed to are a `Problem`.
 */
export function checkConsent(
  events: readonly string[],
  { tokenEnv, consent = {} }: { readonly tokenEnv?: string; readonly consent?: HttpConsent },
): void {
  const deciding = events.filter(canDecide);
  if (deciding.length > 0 && consent.decisions !== true) {
    const message = `Over http, a process that takes the port while the daemon is away decides ${deciding.join(", ")} and gets the token. Use --transport client, which checks who answers, or add --allow-http-decisions.`;
    throw new Problem("install/http-decides", message, { about: { events: deciding } });
  }
  if (events.length > 0 && tokenEnv === undefined && consent.literalToken !== true) {
    const message =
      "An http entry needs the daemon's token. Name a variable that holds it (--token-env NAME), or add --literal-token to write it into the settings file.";
    throw new Problem("install/literal-token", message);
  }
}

/** What to say about http entries in a settings file: a note when the user agreed to them, else something that is wrong. */
export function httpReport(
  entries: readonly OwnEntry[],
  record: InstallRecord | undefined,
): { readonly drift: readonly Drift[]; readonly notes: readonly string[] } {
  const found = entries.flatMap((entry) =>
    ownHooks(entry).flatMap((hook) => (hook.type === "http" ? [{ event: entry.event, hook }] : [])),
  );
  const [first] = found;
  if (first === undefined) return { drift: [], notes: [] };
  const decides = found.some(({ event }) => canDecide(event));
  const holdsToken = found.some(({ hook }) => /^Bearer [^$]/.test(String(hook.headers?.["Authorization"] ?? "")));
  const { decisions, literalToken } = record?.httpConsent ?? {};
  const agreed = record?.httpConsent !== undefined && (!decides || decisions) && (!holdsToken || literalToken);
  const port = URL.canParse(first.hook.url) ? `port ${new URL(first.hook.url).port}` : "the port";
  const names = [...new Set(found.map(({ event }) => event))].join(", ");
  const gains = decides ? "gets the token and the events, and decides" : "gets the token and the events";
  const message = `The entries for ${names} use http: a process that takes ${port} while the daemon is away ${gains}.`;
  return agreed
    ? { drift: [], notes: [`${message} You agreed to this at install.`] }
    : { drift: [drift("http-entry", `${message} hookline install replaces them.`)], notes: [] };
}

/** Whether the settings file of any scope has an http entry for this app. */
export async function hasHttpEntries(hooksFile: string, standpoint: InstallTarget): Promise<boolean> {
  const texts = installScopes.map(async (scope) => {
    try {
      // A file that cannot be read is reported by the command that edits it.
      return (await readSourceText(scopeFiles(scope, standpoint).settingsFile)) ?? "";
    } catch (error) {
      if (error instanceof Problem) return ""; // outside every project there is the user's scope alone
      throw error;
    }
  });
  return (await Promise.all(texts)).some((text) => namesApp(text, hooksFile));
}

export function namesApp(settings: string, hooksFile: string): boolean {
  return settings.includes(`/v1/hook/${appKey(hooksFile)}`);
}

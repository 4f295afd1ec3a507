import { fitsWildcard, isObject, isStringList, stringsIn } from "../../protocol/internal.ts";
import type { SettingsFile } from "../world/agent-settings.ts";
import type { ServerConfig, ServerPolicy } from "./server-config.ts";

/**
 * The policy of `deniedMcpServers` and `allowedMcpServers` in all settings. A denial counts wherever it is written. If managed settings
 * allow servers, or set `allowManagedMcpServersOnly`, only their list counts. Otherwise the lists of user and `--settings` count as one,
 * and those of the checkout narrow them.
 * A list that cannot be read lets no server through.
 */
export function serverPolicy(places: readonly SettingsFile[]): ServerPolicy {
  const denied = listsOf(places, "deniedMcpServers");
  const allowed = listsOf(places, "allowedMcpServers");
  const managed = allowed.filter(({ source }) => source === "managed");
  const only = places.some(({ source, value }) => source === "managed" && value["allowManagedMcpServersOnly"] === true);
  const ofUser = allowed.filter(({ ofCheckout }) => !ofCheckout);
  const ofCheckout = allowed.filter((one) => one.ofCheckout);
  const groups = only || managed.length > 0 ? [managed] : [ofUser, ofCheckout];
  const unreadable = [...denied, ...allowed].find(({ entries }) => entries === undefined);
  return (name, config) => {
    if (unreadable !== undefined) return unreadable.why;
    const by = denied.find(({ entries = [] }) => entries.some((entry) => matches(entry, name, config)));
    if (by !== undefined) return `"deniedMcpServers" in ${by.file} names it`;
    const missing = groups.find((lists) => lists.length > 0 && !admits(lists, name, config));
    return missing && `"allowedMcpServers" in ${missing.map(({ file }) => file).join(" and ")} does not name it`;
  };
}

/** Servers of `.mcp.json` that settings switch off (`disabledMcpjsonServers`), wherever that is written. */
export function disabledServers(places: readonly SettingsFile[]): readonly string[] {
  return places.flatMap(({ value }) => stringsIn(value["disabledMcpjsonServers"]));
}

interface List {
  readonly file: string;
  readonly source: SettingsFile["source"];
  readonly ofCheckout: boolean;
  /** Undefined when the list cannot be read; `why` is the reason. */
  readonly entries: readonly ServerMatch[] | undefined;
  readonly why: string;
}

interface ServerMatch {
  readonly serverName?: string;
  readonly serverCommand?: readonly string[];
  readonly serverUrl?: string;
}

function listsOf(places: readonly SettingsFile[], key: "deniedMcpServers" | "allowedMcpServers"): readonly List[] {
  return places.flatMap(({ file, source, ofCheckout, value }) => {
    const list = value[key];
    if (list === undefined) return [];
    const entries = Array.isArray(list) && list.every(isEntry) ? (list as readonly ServerMatch[]) : undefined;
    const why = `"${key}" in ${file} must be a list of { serverName }, { serverCommand } or { serverUrl }, so no server is used`;
    return [{ file, source, ofCheckout, entries, why }];
  });
}

function isEntry(value: unknown): boolean {
  if (!isObject(value) || Object.keys(value).length !== 1) return false;
  const { serverName, serverCommand, serverUrl } = value;
  if (serverCommand === undefined) return typeof (serverName ?? serverUrl) === "string";
  return isStringList(serverCommand);
}

/** If a list has entries for commands or URLs, the server must match one of those: any server can have the right name. */
function admits(lists: readonly List[], name: string, config: ServerConfig): boolean {
  const entries = lists.flatMap((list) => list.entries ?? []);
  const exact = entries.filter((entry) => (config.kind === "stdio" ? "serverCommand" : "serverUrl") in entry);
  return (exact.length > 0 ? exact : entries).some((entry) => matches(entry, name, config));
}

function matches({ serverName, serverCommand, serverUrl }: ServerMatch, name: string, config: ServerConfig): boolean {
  if (serverName !== undefined) return serverName === name;
  if (config.kind === "http")
    return serverUrl !== undefined && fitsWildcard(serverUrl.toLowerCase(), config.url.toLowerCase());
  const words = [config.command, ...config.args];
  return serverCommand?.length === words.length && serverCommand.every((word, at) => word === words[at]);
}

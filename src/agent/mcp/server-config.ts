import { fitsWildcard, isObject } from "../../protocol/internal.ts";
import type { SettingsFile } from "../world/agent-settings.ts";

/** How one server is reached. */
export type ServerConfig =
  | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | { readonly kind: "http"; readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** The config with its variables filled in, or what is wrong with it. */
export type ReadConfig = ServerConfig | { readonly kind: "unusable"; readonly why: string };

/** Reads one entry of `mcpServers`. Contract: never throws, whatever the entry is. */
export function readServerConfig(value: unknown, env: Readonly<Record<string, string | undefined>>): ReadConfig {
  if (!isObject(value)) return unusable("it is not an object");
  const { type, command, args = [], env: own = {}, url, headers = {} } = value;
  const kind = type ?? (url === undefined ? "stdio" : "http");
  const missing = new Set<string>();
  const fill = (text: string): string => fillVariables(text, env, missing);
  if (kind === "stdio") {
    if (typeof command !== "string" || command === "") return unusable('"command" must be a string');
    if (!Array.isArray(args) || !args.every((one) => typeof one === "string"))
      return unusable('"args" must be a list of strings');
    if (!isTexts(own)) return unusable('"env" must contain only strings');
    const config = { kind: "stdio", command: fill(command), args: args.map(fill), env: mapped(own, fill) } as const;
    return missing.size > 0 ? unset(missing) : config;
  }
  if (kind !== "http" && kind !== "streamable-http") {
    return unusable(`servers of type ${JSON.stringify(kind)} are not supported; stdio and http are`);
  }
  if (typeof url !== "string") return unusable('"url" must be a string');
  if (!isTexts(headers)) return unusable('"headers" must contain only strings');
  const config = { kind: "http", url: fill(url), headers: mapped(headers, fill) } as const;
  if (missing.size > 0) return unset(missing);
  return /^https?:\/\//i.test(config.url) && URL.canParse(config.url)
    ? config
    : unusable('"url" is not an http address');
}

function unusable(why: string): ReadConfig {
  return { kind: "unusable", why };
}

function unset(names: ReadonlySet<string>): ReadConfig {
  return unusable(`not set in the environment, and without a default: ${[...names].join(", ")}`);
}

function isTexts(value: unknown): value is Record<string, string> {
  return isObject(value) && Object.values(value).every((one) => typeof one === "string");
}

function mapped(texts: Readonly<Record<string, string>>, fill: (text: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, fill(text)]));
}

/** `${NAME}` and `${NAME:-default}` from the environment. One pass: what a variable holds is never read as a placeholder. */
function fillVariables(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
  missing: { add(name: string): unknown },
): string {
  return text.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g, (_, name: string, fallback?: string) => {
    const value = env[name] ?? fallback;
    if (value === undefined) missing.add(name);
    return value ?? "";
  });
}

/** Why settings keep a server from being used; undefined when it may be used. */
export type ServerPolicy = (name: string, config: ServerConfig) => string | undefined;

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
  const groups =
    only || managed.length > 0 ? [managed] : [false, true].map((is) => allowed.filter((one) => one.ofCheckout === is));
  const unreadable = [...denied, ...allowed].find(({ entries }) => entries === undefined);
  return (name, config) => {
    if (unreadable !== undefined) return unreadable.why;
    const by = denied.find(({ entries = [] }) => entries.some((entry) => matches(entry, name, config)));
    if (by !== undefined) return `"deniedMcpServers" in ${by.file} names it`;
    const missing = groups.find((lists) => lists.length > 0 && !admits(entriesOf(lists), name, config));
    return missing && `"allowedMcpServers" in ${missing.map(({ file }) => file).join(" and ")} does not name it`;
  };
}

/** Servers of `.mcp.json` that settings switch off (`disabledMcpjsonServers`), wherever that is written. */
export function disabledServers(places: readonly SettingsFile[]): readonly string[] {
  return places.flatMap(({ value }) => textsIn(value["disabledMcpjsonServers"]));
}

export function textsIn(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((one) => typeof one === "string") : [];
}

interface List {
  readonly file: string;
  readonly source: SettingsFile["source"];
  readonly ofCheckout: boolean;
  /** Undefined when the list cannot be read; `why` is the reason. */
  readonly entries: readonly Entry[] | undefined;
  readonly why: string;
}

interface Entry {
  readonly serverName?: string;
  readonly serverCommand?: readonly string[];
  readonly serverUrl?: string;
}

function listsOf(places: readonly SettingsFile[], key: "deniedMcpServers" | "allowedMcpServers"): readonly List[] {
  return places.flatMap(({ file, source, ofCheckout, value }) => {
    const list = value[key];
    if (list === undefined) return [];
    const entries = Array.isArray(list) && list.every(isEntry) ? (list as readonly Entry[]) : undefined;
    const why = `"${key}" in ${file} must be a list of { serverName }, { serverCommand } or { serverUrl }, so no server is used`;
    return [{ file, source, ofCheckout, entries, why }];
  });
}

function isEntry(value: unknown): boolean {
  if (!isObject(value) || Object.keys(value).length !== 1) return false;
  const { serverName, serverCommand, serverUrl } = value;
  if (serverCommand === undefined) return typeof (serverName ?? serverUrl) === "string";
  return Array.isArray(serverCommand) && serverCommand.every((word) => typeof word === "string");
}

function entriesOf(lists: readonly List[]): readonly Entry[] {
  return lists.flatMap(({ entries = [] }) => entries);
}

/** Where a list names commands or addresses, a program or an address must be among them: its name alone could be anyone's. */
function admits(entries: readonly Entry[], name: string, config: ServerConfig): boolean {
  const exact = entries.filter((entry) => (config.kind === "stdio" ? "serverCommand" : "serverUrl") in entry);
  return (exact.length > 0 ? exact : entries).some((entry) => matches(entry, name, config));
}

function matches({ serverName, serverCommand, serverUrl }: Entry, name: string, config: ServerConfig): boolean {
  if (serverName !== undefined) return serverName === name;
  if (config.kind === "http")
    return serverUrl !== undefined && fitsWildcard(serverUrl.toLowerCase(), config.url.toLowerCase());
  const words = [config.command, ...config.args];
  return serverCommand?.length === words.length && serverCommand.every((word, at) => word === words[at]);
}

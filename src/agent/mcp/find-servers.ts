import { join, resolve } from "node:path";
import { claudeHome, readValue, valueIn } from "../../engine/internal.ts";
import { fieldOf, isObject, Problem, stringsIn } from "../../protocol/internal.ts";
import type { ServerConnectOptions } from "./mcp-servers.ts";
import { type ReadConfig, readServerConfig, type ServerPolicy } from "./server-config.ts";

export type ServerPlaces = Omit<ServerConnectOptions, "elicit" | "tell" | "signal">;

export interface FoundServer {
  readonly name: string;
  readonly from: string;
  /** `off`: a settings file disables it. `untrusted`: it is not approved as it is. `refused`: policy forbids it. */
  readonly config:
    | ReadConfig
    | { readonly kind: "off" }
    | { readonly kind: "untrusted"; readonly why: string }
    | { readonly kind: "refused"; readonly why: string };
}

export interface FoundServers {
  readonly servers: readonly FoundServer[];
  /** About files that cannot be used, a sentence each. */
  readonly warnings: readonly string[];
}

/**
 * Every configured server, each name once, in this order: command line, local settings, project, user. A server of a checkout
 * therefore never replaces one of the command line, and one of an untrusted checkout replaces none.
 */
export async function findServers(places: ServerPlaces): Promise<FoundServers> {
  const found = (await managedServers(places)) ?? (await allServers(places));
  const { policy } = places;
  if (policy === undefined) return found;
  return { ...found, servers: found.servers.map((server) => judged(server, policy)) };
}

/** What policy forbids is listed, but not started. */
function judged(server: FoundServer, policy: ServerPolicy): FoundServer {
  const { name, config } = server;
  if (config.kind !== "stdio" && config.kind !== "http") return server;
  const why = policy(name, config);
  return why === undefined ? server : { ...server, config: { kind: "refused", why } };
}

/** The servers of `managed-mcp.json` alone. If the file cannot be used, there are no servers. */
async function managedServers({ managed, env }: ServerPlaces): Promise<FoundServers | undefined> {
  if (managed === undefined) return undefined;
  const read = await readValue(managed);
  if (read.is === "missing") return undefined;
  const value = read.is === "read" ? fieldOf(read.value, "mcpServers") : undefined;
  const why = read.is === "unreadable" ? read.why : 'it has no object "mcpServers"';
  if (typeof value !== "object" || value === null)
    return { servers: [], warnings: [`No MCP server is used, because ${managed} cannot be read: ${why}`] };
  const servers = entries(value).map(([name, one]) => ({ name, from: managed, config: readServerConfig(one, env) }));
  return { servers, warnings: [`Only the MCP servers of ${managed} are used.`] };
}

async function allServers(places: ServerPlaces): Promise<FoundServers> {
  const { cwd, env, approved, reads = () => true } = places;
  const own = claudeHome(env["CLAUDE_CONFIG_DIR"], places.home);
  const state = join(env["CLAUDE_CONFIG_DIR"] ? own : places.home, ".claude.json");
  const warnings: string[] = [];
  const read = async (file: string): Promise<Source> => ({ from: file, value: await readIfThere(file, warnings) });
  const [local, project, shared, user, known] = await Promise.all([
    read(join(cwd, ".claude", "settings.local.json")),
    read(join(cwd, ".claude", "settings.json")),
    read(join(cwd, ".mcp.json")),
    read(join(own, "settings.json")),
    read(state),
  ]);
  const given = await Promise.all(places.configs.map((config) => readGiven(config, cwd)));
  const forHere = { from: state, value: fieldOf(fieldOf(known.value, "projects"), cwd) };
  const named = [local, user].flatMap(({ value }) => stringsIn(fieldOf(value, "disabledMcpjsonServers")));
  const off = new Set([...named, ...(places.off ?? [])]);

  const projectConfig = (file: string, name: string, config: unknown): FoundServer["config"] => {
    if (file === shared.from && off.has(name)) return { kind: "off" };
    const { state, detail } = approved({ file, name, config });
    return state === "trusted" ? readServerConfig(config, env) : { kind: "untrusted", why: detail };
  };
  const ordered = [
    ...given.map((source) => ({ ...source, kind: "flag", isUsers: true }) as const),
    { ...local, kind: "local", isUsers: false },
    { ...forHere, kind: "local", isUsers: true },
    { ...shared, kind: "project", isUsers: false },
    { ...project, kind: "project", isUsers: false },
    { ...user, kind: "user", isUsers: true },
    { ...known, kind: "user", isUsers: true },
  ] as const;
  const found = new Map<string, FoundServer>();
  for (const { from, value, isUsers } of ordered.filter(({ kind }) => reads(kind))) {
    for (const [name, config] of entries(fieldOf(value, "mcpServers"))) {
      const earlier = found.get(name);
      // A server that is not started does not take a name from another.
      if (earlier !== undefined && isStarted(earlier)) continue;
      const read = isUsers ? readServerConfig(config, env) : projectConfig(from, name, config);
      found.set(name, { name, from, config: read });
    }
  }
  return { servers: [...found.values()], warnings };
}

/** False for what is only listed: disabled, not approved, or forbidden by policy. */
export function isStarted({ config }: FoundServer): boolean {
  return config.kind !== "off" && config.kind !== "untrusted" && config.kind !== "refused";
}

interface Source {
  readonly from: string;
  readonly value: unknown;
}

/** A configuration that the caller names must exist and be usable. */
async function readGiven(config: string, cwd: string): Promise<Source> {
  const isText = config.trimStart().startsWith("{");
  const from = isText ? "--mcp-config" : resolve(cwd, config);
  const read = isText ? valueIn(config) : await readValue(from);
  if (read.is !== "read") throw bad(from, read.is === "missing" ? "there is no such file" : read.why);
  if (typeof fieldOf(read.value, "mcpServers") !== "object") throw bad(from, 'it has no object "mcpServers"');
  return { from, value: read.value };
}

function bad(from: string, why: string): Problem {
  return new Problem("mcp/bad-config", `${from} configures no MCP servers: ${why}`, { about: { from } });
}

async function readIfThere(file: string, warnings: string[]): Promise<unknown> {
  const read = await readValue(file);
  if (read.is === "unreadable") warnings.push(`${file} cannot be read for MCP servers: ${read.why}`);
  return read.is === "read" ? read.value : undefined;
}

function entries(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}

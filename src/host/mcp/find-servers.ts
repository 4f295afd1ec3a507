import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { clientHome, parseJsonc, plainValue } from "../../engine/settings/index.ts";
import { Problem } from "../../protocol/index.ts";
import { type ReadConfig, readServerConfig } from "./server-config.ts";

export interface ServerPlaces {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Files, or JSON texts, that were named on the command line. */
  readonly configs: readonly string[];
  /** Whether what the project itself configures may be started. */
  readonly projectTrusted: boolean;
}

export interface FoundServer {
  readonly name: string;
  readonly from: string;
  /** `off` says that a settings file disabled it, `untrusted` that the project was not approved. */
  readonly config: ReadConfig | { readonly kind: "off" } | { readonly kind: "untrusted" };
}

export interface FoundServers {
  readonly servers: readonly FoundServer[];
  /** Files that are there and cannot be used, a sentence each. */
  readonly warnings: readonly string[];
}

/**
 * Every configured server, each name once: the command line before local settings, the project, the person. A name that a checkout
 * uses therefore never takes the place of one from the command line, and an untrusted checkout's takes nobody's.
 */
export async function findServers(places: ServerPlaces): Promise<FoundServers> {
  const { cwd, env, projectTrusted } = places;
  const own = clientHome(env["CLAUDE_CONFIG_DIR"], places.home);
  const state = join(env["CLAUDE_CONFIG_DIR"] ? own : places.home, ".claude.json");
  const warnings: string[] = [];
  const read = async (file: string): Promise<Source> => ({ from: file, value: await readIfThere(file, warnings) });
  const [local, project, shared, person, known] = await Promise.all([
    read(join(cwd, ".claude", "settings.local.json")),
    read(join(cwd, ".claude", "settings.json")),
    read(join(cwd, ".mcp.json")),
    read(join(own, "settings.json")),
    read(state),
  ]);
  const given = await Promise.all(places.configs.map((config) => readGiven(config, cwd)));
  const forHere = { from: state, value: at(at(known.value, "projects"), cwd) };
  const off = new Set([local, person].flatMap(({ value }) => texts(at(value, "disabledMcpjsonServers"))));

  const found = new Map<string, FoundServer>();
  const take = (source: Source, trusted: boolean, listed: ReadonlySet<string> = new Set()): void => {
    for (const [name, value] of entries(at(source.value, "mcpServers"))) {
      const standing = found.get(name);
      if (standing !== undefined && standing.config.kind !== "untrusted") continue;
      found.set(name, { name, from: source.from, config: configOf(name, value) });
    }
    function configOf(name: string, value: unknown): FoundServer["config"] {
      if (!trusted) return { kind: "untrusted" };
      return listed.has(name) ? { kind: "off" } : readServerConfig(value, env);
    }
  };
  for (const source of given) take(source, true);
  take(local, projectTrusted);
  take(forHere, true);
  take(shared, projectTrusted, off);
  take(project, projectTrusted);
  take(person, true);
  take(known, true);
  return { servers: [...found.values()], warnings };
}

interface Source {
  readonly from: string;
  readonly value: unknown;
}

/** What the caller names must be there and be usable. */
async function readGiven(config: string, cwd: string): Promise<Source> {
  const isText = config.trimStart().startsWith("{");
  const from = isText ? "--mcp-config" : resolve(cwd, config);
  const parsed = parsedOf(isText ? config : await readNamed(from));
  if ("why" in parsed) throw bad(from, parsed.why);
  if (typeof at(parsed.value, "mcpServers") !== "object") throw bad(from, 'it has no object "mcpServers"');
  return { from, value: parsed.value };
}

async function readNamed(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw bad(file, (cause as Error).message, cause);
  }
}

function bad(from: string, why: string, cause?: unknown): Problem {
  return new Problem("mcp/bad-config", `${from} configures no MCP servers: ${why}`, { about: { from }, cause });
}

async function readIfThere(file: string, warnings: string[]): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTDIR") warnings.push(`${file} cannot be read for MCP servers: ${message}`);
    return undefined;
  }
  const parsed = parsedOf(text);
  if ("value" in parsed) return parsed.value;
  warnings.push(`${file} cannot be read for MCP servers: ${parsed.why}`);
  return undefined;
}

function parsedOf(text: string): { readonly value: unknown } | { readonly why: string } {
  const parsed = parseJsonc(text);
  if (!("fault" in parsed)) return { value: plainValue(parsed.tree) };
  const { line, column, why } = parsed.fault;
  return { why: `line ${line}, column ${column}: ${why}` };
}

function at(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string, unknown>)[key];
}

function entries(value: unknown): [string, unknown][] {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

import { join, relative, sep } from "node:path";
import { type EngineOptions, resolveOptions } from "../options.ts";
import { readValue } from "../settings/settings-source.ts";
import type { NamedCommand } from "./coverage/coverage.ts";
import type { Checkout } from "./coverage/gather-files.ts";
import { checkoutAt, readPins } from "./pin-store.ts";
import { type ApprovableItem, noPins, stableJson } from "./pins.ts";
import { trustLookups, workspaceTrust } from "./trust-by-pins.ts";
import { type TrustStatus, trusted } from "./trust-state.ts";

/** Contract: judges the configuration it is given, so that what is started is what was judged. */
export type ServerTrust = (server: CheckoutServer) => TrustStatus;

/** The trust in force for servers that a checkout configures. */
export async function serverTrust(options: EngineOptions): Promise<ServerTrust> {
  const places = resolveOptions(options);
  if (places.trust === "implicit") return () => trusted;
  if (places.trust === "workspace") {
    const trust = await workspaceTrust(places);
    return ({ name }) => trust.ofPinnable(name);
  }
  const checkout = await checkoutAt(places);
  const known = await readPins(places, checkout.real);
  const { pins } = "pins" in known ? known.pins : noPins(checkout.real);
  return (server) => {
    const one = pinnableServer(server, checkout);
    return (
      trustLookups([one], pins, checkout).get(one.id)?.() ?? { state: "new", detail: "it has not been approved yet" }
    );
  };
}

/** An MCP server that a file of the checkout configures. */
export interface CheckoutServer {
  readonly file: string;
  readonly name: string;
  /** As it is written there. */
  readonly config: unknown;
}

/** The files of a checkout in which servers may stand. */
function serverFiles(cwd: string): readonly string[] {
  return [".mcp.json", ".claude/settings.json", ".claude/settings.local.json"].map((name) => join(cwd, name));
}

/** Every server that a checkout brings. A file that cannot be read brings none. */
export async function checkoutServers({ cwd }: Checkout): Promise<readonly CheckoutServer[]> {
  const found = await Promise.all(
    serverFiles(cwd).map(async (file) => {
      const read = await readValue(file);
      const servers: unknown = read.is === "read" ? Object(read.value).mcpServers : undefined;
      if (typeof servers !== "object" || servers === null || Array.isArray(servers)) return [];
      return Object.entries(servers).map(([name, config]) => ({ file, name, config }));
    }),
  );
  return found.flat();
}

/** A server starts a program or is sent what the agent says; exactly it must have been approved, with the files it names. */
export function pinnableServer({ file, name, config }: CheckoutServer, { cwd }: Checkout): ApprovableItem {
  const path = relative(cwd, file).split(sep).join("/");
  const id = `${path}:${name}`;
  const kind = path.endsWith(".local.json") ? "local" : "project";
  return {
    id,
    place: id,
    kind: "mcpServer",
    layer: { kind, file, settings: {}, readable: true, warnings: [], contentHash: "" },
    definition: stableJson({ server: name, config }),
    ...commandOf(config),
  };
}

function commandOf(config: unknown): Pick<ApprovableItem, "command"> {
  const { command, args, env } = Object(config) as Readonly<Record<"command" | "args" | "env", unknown>>;
  if (typeof command !== "string") return {};
  const words = Array.isArray(args) ? args.filter((one) => typeof one === "string") : [];
  const variables = Object.entries(Object(env)).filter((one): one is [string, string] => typeof one[1] === "string");
  const isPlain = variables.length === 0 && ![command, ...words].some((word) => word.includes("${"));
  const named: NamedCommand = isPlain
    ? { command, args: words }
    : { command: shellLine(variables, [command, ...words]) };
  return { command: named };
}

/** The same call as a line of shell: variables that a program loads code by, and defaults, are then covered as in a hook's command. */
function shellLine(variables: readonly (readonly [string, string])[], words: readonly string[]): string {
  const set = variables
    .filter(([name]) => /^[A-Za-z_]\w*$/.test(name))
    .map(([name, text]) => `${name}=${quoted(text)}`);
  return [...set, ...words.map(quoted)].join(" ");
}

/** One word of shell. What the agent fills in, `${NAME}` and `${NAME:-default}`, the shell would fill in too. */
function quoted(text: string): string {
  const parts = text.split(/(\$\{[A-Za-z_]\w*(?::-[^}]*)?\})/);
  const literal = (part: string): string => (part === "" ? "" : `'${part.replaceAll("'", "'\\''")}'`);
  return parts.map((part, at) => (at % 2 === 1 ? filledIn(part) : literal(part))).join("") || "''";
}

function filledIn(placeholder: string): string {
  return `"\${${placeholder.slice(2, -1).replace(/[\\"$`]/g, "\\$&")}}"`;
}

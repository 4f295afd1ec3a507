import { join, relative, sep } from "node:path";
import { fieldOf, isObject, stringsIn } from "../../protocol/internal.ts";
import { type EngineOptions, resolveOptions } from "../options.ts";
import { readValue } from "../settings/settings-source.ts";
import type { NamedCommand } from "./coverage/coverage.ts";
import type { Checkout } from "./coverage/gather-files.ts";
import { checkoutAt, readPins } from "./pin-store.ts";
import { type ApprovableItem, stableJson } from "./pins.ts";
import { trustLookups, workspaceTrust } from "./trust-by-pins.ts";
import { notApproved, type TrustStatus, trusted } from "./trust-state.ts";

/** Contract: judges the configuration that it receives, so that a file change cannot come between judging and starting. */
export type ServerTrust = (server: CheckoutServer) => TrustStatus;

/** The trust in MCP servers that a checkout configures. */
export async function serverTrust(options: EngineOptions): Promise<ServerTrust> {
  const places = resolveOptions(options);
  if (places.trust === "implicit") return () => trusted;
  if (places.trust === "workspace") {
    const { ofFolder } = await workspaceTrust(places);
    return () => ofFolder;
  }
  const checkout = await checkoutAt(places);
  const { pins } = (await readPins(places, checkout.real)).pins;
  return (server) => {
    const item = approvableServer(server, checkout);
    return trustLookups([item], pins, checkout).get(item.id)?.() ?? notApproved;
  };
}

/** An MCP server that a file of the checkout configures. */
interface CheckoutServer {
  readonly file: string;
  readonly name: string;
  /** The value in the file. */
  readonly config: unknown;
}

/** The files of a checkout that may configure servers. */
const serverFiles = [".mcp.json", ".claude/settings.json", ".claude/settings.local.json"];

/** Every server that a checkout configures. A file that cannot be read configures none. */
export async function checkoutServers({ cwd }: Checkout): Promise<readonly CheckoutServer[]> {
  const byFile = await Promise.all(
    serverFiles.map(async (name) => {
      const file = join(cwd, name);
      const read = await readValue(file);
      const servers = read.is === "read" ? fieldOf(read.value, "mcpServers") : undefined;
      return isObject(servers) ? Object.entries(servers).map(([name, config]) => ({ file, name, config })) : [];
    }),
  );
  return byFile.flat();
}

/** A server needs an approval because it runs a program, or receives what the agent sends. */
export function approvableServer({ file, name, config }: CheckoutServer, { cwd }: Checkout): ApprovableItem {
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
  const words = stringsIn(args);
  const variables = Object.entries(Object(env)).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  const isPlain = variables.length === 0 && ![command, ...words].some((word) => word.includes("${"));
  const named: NamedCommand = isPlain
    ? { command, args: words }
    : { command: shellLine(variables, [command, ...words]) };
  return { command: named };
}

/** The call as a shell command. Its variables and their defaults are then covered like those in the command of a hook. */
function shellLine(variables: readonly (readonly [string, string])[], words: readonly string[]): string {
  const assignments = variables
    .filter(([name]) => /^[A-Za-z_]\w*$/.test(name))
    .map(([name, text]) => `${name}=${quoted(text)}`);
  return [...assignments, ...words.map(quoted)].join(" ");
}

/** One shell word. `${NAME}` and `${NAME:-default}`, which the agent fills in, are left for the shell to fill in. */
function quoted(text: string): string {
  const parts = text.split(/(\$\{[A-Za-z_]\w*(?::-[^}]*)?\})/);
  const literal = (part: string): string => (part === "" ? "" : `'${part.replaceAll("'", "'\\''")}'`);
  return parts.map((part, at) => (at % 2 === 1 ? quotedPlaceholder(part) : literal(part))).join("") || "''";
}

function quotedPlaceholder(placeholder: string): string {
  return `"\${${placeholder.slice(2, -1).replace(/[\\"$`]/g, "\\$&")}}"`;
}

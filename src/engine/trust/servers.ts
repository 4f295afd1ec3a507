import { join, relative, sep } from "node:path";
import { readValue } from "../settings/read-value.ts";
import type { Checkout } from "./covered/checkout-files.ts";
import type { NamedCommand } from "./covered/coverage.ts";
import { type Pinnable, stableJson } from "./pinnable.ts";

/** An MCP server that a file of the checkout configures. */
export interface CheckoutServer {
  readonly file: string;
  readonly name: string;
  /** As it is written there. */
  readonly config: unknown;
}

/** The files of a checkout in which servers may stand. */
export function serverFiles(cwd: string): readonly string[] {
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
export function pinnableServer({ file, name, config }: CheckoutServer, { cwd }: Checkout): Pinnable {
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

function commandOf(config: unknown): Pick<Pinnable, "command"> {
  const { command, args } = Object(config) as { readonly command?: unknown; readonly args?: unknown };
  if (typeof command !== "string") return {};
  const named: NamedCommand = {
    command,
    args: Array.isArray(args) ? args.filter((one) => typeof one === "string") : [],
  };
  return { command: named };
}

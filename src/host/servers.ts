import type { McpPort, ServerTrust } from "../engine/index.ts";
import type { McpState } from "./agent-event.ts";
import type { ServerPolicy } from "./mcp/server-policy.ts";
import type { ElicitationAnswer, ElicitationForm } from "./person.ts";
import type { Tool } from "./tools/tool.ts";

/** The servers a session is connected to. */
export interface Servers {
  readonly tools: readonly Tool[];
  readonly states: readonly McpState[];
  /** For hooks that call a server's tool. */
  readonly port: McpPort;
  close(): Promise<void>;
}

/** What a connector is lent by the session. */
export interface ServerWishes {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Files, or JSON texts, that were named on the command line. */
  readonly configs: readonly string[];
  /** Whether servers of a source are used; all are when absent. `local` is the user's own for this folder, `flag` is `configs`. */
  readonly reads?: (source: "user" | "project" | "local" | "flag") => boolean;
  /** Whether a server that the project itself configures may be started. */
  readonly approved: ServerTrust;
  /** Why settings keep a server from being used (`deniedMcpServers`, `allowedMcpServers`); undefined for one that may be used. */
  readonly policy?: ServerPolicy;
  /** Servers of `.mcp.json` that settings switch off. */
  readonly off?: readonly string[];
  /** Where `managed-mcp.json` would be: if it is there, no other server may be used. */
  readonly managed?: string;
  readonly elicit: (form: ElicitationForm, signal: AbortSignal) => Promise<ElicitationAnswer>;
  readonly tell: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Contract: never rejects for what a server does; one that does not come up is a state, not an error. */
export type ServerConnector = (wishes: ServerWishes) => Promise<Servers>;

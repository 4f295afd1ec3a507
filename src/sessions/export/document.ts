import type { Compaction } from "../model/compactions.ts";

/** A session to give away: what a reader wants to see, in order, and nothing else that is on disk. */
export interface SessionDocument {
  readonly schema: "hookline.session/1";
  readonly id: string;
  readonly title?: string;
  readonly cwd?: string;
  readonly version?: string;
  readonly gitBranch?: string;
  readonly startedAt?: string;
  readonly endedAt?: string;
  readonly models: readonly string[];
  readonly items: readonly DocumentItem[];
}

/** `turn` is absent before the first turn. */
export type DocumentItem = { readonly turn?: number; readonly timestamp?: string } & (
  | { readonly kind: "prompt"; readonly role: string; readonly text: string; readonly images: readonly DocumentImage[] }
  | { readonly kind: "answer"; readonly model?: string; readonly text: string }
  | DocumentTool
  | {
      readonly kind: "hook";
      readonly type: string;
      readonly event?: string;
      readonly name?: string;
      readonly text: string;
    }
  | ({ readonly kind: "compaction"; readonly summary?: string } & Pick<
      Compaction,
      "trigger" | "preTokens" | "postTokens"
    >)
  | { readonly kind: "thinking" | "feedback" | "command" | "api-error" | "interrupt"; readonly text: string }
);

export interface DocumentTool {
  readonly kind: "tool";
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly status: string;
  /** Absent without the option `results`. */
  readonly output?: string;
  readonly images?: readonly DocumentImage[];
  readonly durationMs?: number;
  /** Absent without the option `agents`. */
  readonly agent?: DocumentAgent;
}

export interface DocumentAgent {
  readonly id: string;
  readonly type?: string;
  readonly description?: string;
  readonly items: readonly DocumentItem[];
}

export interface DocumentImage {
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
}

/** Options of `exportSession`. */
export interface DocumentOptions {
  /** Include the conversations of subagents. */
  readonly agents?: boolean;
  /** Include thinking. */
  readonly thinking?: boolean;
  /** Include the output of tools. */
  readonly results?: boolean;
  /** The last entry of the branch to export. Default: the active branch. */
  readonly leaf?: string;
  /** Applied to every text. */
  readonly redact?: (text: string) => string;
}

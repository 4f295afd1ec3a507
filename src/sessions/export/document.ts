/** A session to give away: what a reader would want to see, in order, and nothing else of what is on disk. */
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

/** Every item says in which turn it stands; those before the first turn do not. */
export type DocumentItem = { readonly turn?: number; readonly timestamp?: string } & (
  | { readonly kind: "prompt"; readonly role: string; readonly text: string; readonly images: readonly DocumentImage[] }
  | { readonly kind: "answer"; readonly model?: string; readonly text: string }
  | { readonly kind: "thinking"; readonly text: string }
  | DocumentTool
  | {
      readonly kind: "hook";
      readonly type: string;
      readonly event?: string;
      readonly name?: string;
      readonly text: string;
    }
  | { readonly kind: "feedback"; readonly text: string }
  | { readonly kind: "command"; readonly text: string }
  | {
      readonly kind: "compaction";
      readonly trigger?: string;
      readonly preTokens?: number;
      readonly postTokens?: number;
      readonly summary?: string;
    }
  | { readonly kind: "api-error"; readonly text: string }
  | { readonly kind: "interrupt"; readonly text: string }
);

export interface DocumentTool {
  readonly kind: "tool";
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly status: string;
  /** Absent unless results were asked for. */
  readonly output?: string;
  readonly images?: readonly DocumentImage[];
  readonly durationMs?: number;
  /** Absent unless agents were asked for. */
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

export interface DocumentOptions {
  /** Include the conversations of subagents. */
  readonly agents?: boolean;
  /** Include thinking. */
  readonly thinking?: boolean;
  /** Include the output of tools. */
  readonly results?: boolean;
  /** Which branch; the active one unless a leaf is named. */
  readonly leaf?: string;
  /** Every text goes through it before it leaves. */
  readonly redact?: (text: string) => string;
}

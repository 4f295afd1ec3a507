import type {
  assistantRows,
  attachmentInner,
  attachmentRows,
  conversationRows,
  EntryFields,
  StandaloneKind,
  standaloneRows,
  systemRows,
  systemSubtypes,
  userRows,
} from "../formats/claude-code/known-fields.ts";
import type { RawBytes, RecordPosition, Unreadable } from "../read/json-records.ts";
import type { EntryBlock } from "./content-block.ts";

/**
 * One record of a transcript, the same for every agent. A record of an unknown kind has the kind `other` and is kept verbatim. Unknown
 * fields are in `extra`, so nothing that is on disk is lost.
 */
export type Entry = UserEntry | AssistantEntry | SystemEntry | AttachmentEntry | StandaloneEntry | UnknownEntry;

/** What readers yield, in file order. */
export type TranscriptItem = Entry | Unreadable;

/** Where an entry is and how it was read. */
export interface EntryPosition extends RecordPosition {
  /** Reads the exact bytes again. Throws `sessions/changed` when the file was replaced since. */
  readonly raw: RawBytes;
  readonly lossy?: true;
  readonly recovered?: true;
  readonly unterminated?: true;
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** The fields of an entry that is a node of the conversation graph. */
export interface ConversationFields extends EntryPosition, EntryFields<typeof conversationRows> {
  readonly uuid: string;
  readonly parentUuid: string | null;
  readonly isSidechain: boolean;
}

/** The fields of a line with a message. */
interface MessageFields {
  readonly content: readonly EntryBlock[];
  /** The content on disk was one string, not a list. */
  readonly contentWasText?: true;
  readonly messageExtra?: Readonly<Record<string, unknown>>;
}

/** What a line with the role user is. */
export type UserRole =
  | "result"
  | "summary"
  | "meta"
  | "command"
  | "command-output"
  | "interrupt"
  | "notification"
  | "teammate"
  | "prompt";

/** The origin of a prompt. */
export type PromptSource = "typed" | "sdk" | "system" | "agent" | "unknown";

/** An entry with the role user: a prompt, a tool result, or a text that Claude Code added. */
export interface UserEntry extends ConversationFields, MessageFields, EntryFields<typeof userRows> {
  readonly kind: "user";
  readonly role: UserRole;
  /** Of prompts only. */
  readonly source?: PromptSource;
}

/** An entry with content of a model's answer. */
export interface AssistantEntry extends ConversationFields, MessageFields, EntryFields<typeof assistantRows> {
  readonly kind: "assistant";
  /** Absent when the endpoint gave none. */
  readonly messageId?: string;
  readonly model?: string;
  readonly stopReason: string | null;
  readonly stopSequence?: string;
  /** Token counts as the endpoint wrote them. */
  readonly usage?: Readonly<Record<string, unknown>>;
}

/** The subtype of a system entry. */
export type SystemSubtype = (typeof systemSubtypes)[number];

/** An entry that Claude Code wrote about the conversation, such as a compaction or an API error. */
export interface SystemEntry extends ConversationFields, Omit<EntryFields<typeof systemRows>, "compactMetadata"> {
  readonly kind: "system";
  readonly subtype: SystemSubtype;
  readonly compactMetadata?: CompactMetadata;
}

/** The details of a compaction: its trigger, token counts and preserved messages. */
export interface CompactMetadata {
  readonly trigger?: string;
  readonly preTokens?: number;
  readonly postTokens?: number;
  readonly durationMs?: number;
  readonly cumulativeDroppedTokens?: number;
  readonly preservedSegment?: { readonly headUuid?: string; readonly anchorUuid?: string; readonly tailUuid?: string };
  readonly preservedMessages?: { readonly anchorUuid?: string; readonly uuids?: readonly string[] };
}

/** The type of an attachment entry. */
export type AttachmentType = keyof typeof attachmentInner;

/** The type of an attachment entry that records a hook run. */
export type HookAttachmentType = Extract<AttachmentType, `hook_${string}` | "async_hook_response">;

/** An entry with data that Claude Code attached to the conversation, such as the output of a hook. */
export interface AttachmentEntry extends ConversationFields, EntryFields<typeof attachmentRows> {
  readonly kind: "attachment";
  readonly type: AttachmentType;
  /** Of hook records: the hook, its event, and the tool call. */
  readonly hookName?: string;
  readonly hookEvent?: string;
  readonly toolUseId?: string;
  /** All other fields of the attachment, as they are on disk. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The fields of entries outside the conversation. Some older ones have uuid and parentUuid and are nodes of the graph. */
type LooseFields = EntryPosition & Partial<Omit<ConversationFields, keyof EntryPosition>>;

export type { StandaloneKind };

/** A record outside the conversation. Some older ones have uuid and parentUuid and are nodes of the graph. */
export interface StandaloneEntry extends LooseFields, AllOf<EntryFields<(typeof standaloneRows)[StandaloneKind]>> {
  readonly kind: StandaloneKind;
  readonly content?: unknown;
}

/** The intersection of the members of a union. */
type AllOf<Union> = (Union extends unknown ? (member: Union) => void : never) extends (member: infer All) => void
  ? All
  : never;

/** An unknown type or subtype, or a known one with an unexpected shape (then `why` is set). */
export interface UnknownEntry extends LooseFields {
  readonly kind: "other";
  /** `type`, or `type/subtype`, as written; empty when there was none. */
  readonly name: string;
  readonly why?: string;
  readonly object: Readonly<Record<string, unknown>>;
}

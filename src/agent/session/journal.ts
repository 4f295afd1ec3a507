import type { ContentBlock, ModelEnd, ModelUsage, ToolResultBlock } from "../../models/internal.ts";
import { Problem } from "../../protocol/internal.ts";
import type { AppendRecordOptions, RecordDraft, TranscriptWriter } from "../../sessions/internal.ts";
import type { Attachment } from "../turn/attachments.ts";

/** The transcript of one thread, in the client's format. Contract: when a call resolves, its lines are in the file. */
export interface Journal {
  readonly file: string;
  /** The uuid that the next line hangs on. */
  readonly tip: string | null;
  user(content: string | readonly ContentBlock[], fields?: UserFields, options?: AppendRecordOptions): Promise<string>;
  /** One line per block, each with the call's final usage. Returns their uuids, in order of the blocks. */
  answer(answer: ModelEnd, fields?: Readonly<Record<string, unknown>>): Promise<readonly string[]>;
  /** Under its own tool call's line. */
  result(block: ToolResultBlock, fields: ResultFields): Promise<string>;
  attach(attachment: Attachment): Promise<void>;
  /** The lines since the last answer began, itself included. */
  tailUuids(): readonly string[];
  /** The conversation before this line is replaced by the summary `anchorUuid` and the lines that are kept. */
  boundary(compaction: CompactionBoundary): Promise<void>;
  /** A sentence for people who read the transcript; the model does not get it. */
  inform(content: string, level: "info" | "warning"): Promise<void>;
  /** Any other line. */
  note(draft: RecordDraft, options?: AppendRecordOptions): Promise<string>;
}

/** How a user line came about. */
export interface UserFields {
  readonly isMeta?: boolean;
  readonly isCompactSummary?: boolean;
  readonly isVisibleInTranscriptOnly?: boolean;
  readonly permissionMode?: string;
  readonly promptSource?: string;
  readonly origin?: { readonly kind: string };
}

export interface ResultFields {
  /** The line of the call. */
  readonly source: string;
  readonly toolUseResult?: unknown;
}

export interface CompactionBoundary {
  readonly trigger: string;
  readonly preTokens: number;
  readonly postTokens: number;
  readonly durationMs: number;
  readonly anchorUuid: string;
  readonly uuids: readonly string[];
}

export interface JournalOptions {
  readonly promptId: () => string | undefined;
  readonly cwd: () => string;
  /** The type of the agent whose thread it is. */
  readonly attribution?: string;
}

export function openJournal(transcript: TranscriptWriter, { promptId, cwd, attribution }: JournalOptions): Journal {
  let tail: string[] = [];

  async function append(draft: RecordDraft, options?: AppendRecordOptions): Promise<string> {
    const placed = draft.type in threaded ? { ...draft, cwd: cwd() } : draft;
    const { uuid = "" } = await transcript.append(placed, options).catch((cause: unknown) => {
      throw notWritten(transcript.file, cause);
    });
    if (uuid !== "" && draft["isCompactSummary"] !== true) tail.push(uuid);
    return uuid;
  }

  const prompt = () => {
    const id = promptId();
    return id === undefined ? {} : { promptId: id };
  };

  return {
    file: transcript.file,
    get tip() {
      return transcript.tip;
    },
    user: (content, fields = {}, options = {}) =>
      append({ ...prompt(), type: "user", message: { role: "user", content }, ...fields }, options),
    tailUuids: () => [...tail],
    async boundary({ anchorUuid, uuids, ...figures }) {
      const [headUuid] = uuids;
      const kept = {
        preservedSegment: { headUuid, anchorUuid, tailUuid: uuids.at(-1) },
        preservedMessages: { anchorUuid, uuids, allUuids: uuids },
      };
      const compactMetadata = { ...figures, ...(headUuid === undefined ? {} : kept) };
      const content = "Conversation compacted";
      const line = { type: "system", subtype: "compact_boundary", content, isMeta: false, level: "info" };
      await append({ logicalParentUuid: transcript.tip, ...line, compactMetadata }, { parent: null });
      tail = [...uuids];
    },
    answer(answer, fields = {}) {
      tail = [];
      const requestId = answer.requestId ?? `req_${answer.id}`;
      const byAgent = attribution === undefined ? {} : { attributionAgent: attribution };
      return Promise.all(
        answer.content.map((block) =>
          append({ message: apiMessage(answer, [block]), requestId, ...byAgent, type: "assistant", ...fields }),
        ),
      );
    },
    result: (block, { source, toolUseResult }) =>
      append(
        {
          ...prompt(),
          type: "user",
          message: { role: "user", content: [block] },
          ...(toolUseResult === undefined ? {} : { toolUseResult }),
          sourceToolAssistantUUID: source,
        },
        { parent: source },
      ),
    attach: async (attachment) => void (await append({ attachment, type: "attachment" })),
    inform: async (content, level) =>
      void (await append({ type: "system", subtype: "informational", content, level, isMeta: false })),
    note: append,
  };
}

/** A session that cannot be kept ends: what was said in it would be lost. */
function notWritten(file: string, cause: unknown): unknown {
  if (cause instanceof Problem) return cause;
  const why = cause instanceof Error ? cause.message : String(cause);
  return new Problem("host/not-written", `The transcript ${file} cannot be written: ${why}. The session ends here.`, {
    about: { file },
    cause,
  });
}

/** Lines of the conversation carry the folder; other lines do not. */
const threaded: Readonly<Record<string, true>> = { user: true, assistant: true, system: true, attachment: true };

/** An answer, or some of its blocks, as the API spells a message. */
export function apiMessage(answer: ModelEnd, content: readonly ContentBlock[]): Readonly<Record<string, unknown>> {
  const { id, model, stopReason, usage } = answer;
  return {
    id,
    type: "message",
    role: "assistant",
    model,
    content,
    stop_reason: stopReason,
    stop_sequence: null,
    usage: apiUsage(usage),
    stop_details: null,
  };
}

/** Token counts as the API spells them. */
export function apiUsage(usage: ModelUsage): Readonly<Record<string, unknown>> {
  const { input, output, cacheRead, cacheWrite1h, cacheWrite5m } = usage;
  return {
    input_tokens: input,
    cache_creation_input_tokens: cacheWrite1h + cacheWrite5m,
    cache_read_input_tokens: cacheRead,
    output_tokens: output,
    server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
    service_tier: "standard",
    cache_creation: { ephemeral_1h_input_tokens: cacheWrite1h, ephemeral_5m_input_tokens: cacheWrite5m },
  };
}

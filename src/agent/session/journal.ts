import type { ContentBlock, ModelEnd, ModelUsage, ToolResultBlock } from "../../models/internal.ts";
import { defined, messageOf, Problem } from "../../protocol/internal.ts";
import type {
  AppendRecordOptions,
  CompactMetadata,
  RecordDraft,
  TranscriptWriter,
  UserEntry,
} from "../../sessions/internal.ts";
import type { Attachment } from "../turn/attachments.ts";

/** Where a user line comes from. */
export interface UserFields
  extends Pick<
    UserEntry,
    "isMeta" | "isCompactSummary" | "isVisibleInTranscriptOnly" | "permissionMode" | "promptSource"
  > {
  readonly origin?: { readonly kind: string };
}

interface CompactionBoundary
  extends Required<Pick<CompactMetadata, "trigger" | "preTokens" | "postTokens" | "durationMs">> {
  readonly anchorUuid: string;
  readonly uuids: readonly string[];
}

export type Journal = ReturnType<typeof openJournal>;

/**
 * The transcript of one thread, in Claude Code's format. The lines name the folder and the prompt that the thread has when they are
 * written. Contract: when a call resolves, its lines are in the file.
 */
export function openJournal(
  transcript: TranscriptWriter,
  thread: { readonly cwd: string; session: { readonly promptId?: string }; agent?: { readonly type: string } },
) {
  let tail: string[] = [];

  async function append(draft: RecordDraft, options?: AppendRecordOptions): Promise<string> {
    const line = linesWithFolder.has(draft.type) ? { ...draft, cwd: thread.cwd } : draft;
    const { uuid = "" } = await transcript.append(line, options).catch((cause: unknown) => {
      throw notWritten(transcript.file, cause);
    });
    if (uuid !== "" && draft["isCompactSummary"] !== true) tail.push(uuid);
    return uuid;
  }

  const prompt = () => defined({ promptId: thread.session.promptId });

  return {
    file: transcript.file,
    /** The parent uuid of the next line. */
    get tip(): string | null {
      return transcript.tip;
    },
    user: (content: string | readonly ContentBlock[], fields: UserFields = {}, options: AppendRecordOptions = {}) =>
      append({ ...prompt(), type: "user", message: { role: "user", content }, ...fields }, options),
    /** The lines from the last answer on. */
    tailUuids: (): readonly string[] => [...tail],
    /** Marks a compaction: the summary `anchorUuid` and the kept lines replace everything before. */
    async boundary({ anchorUuid, uuids, ...figures }: CompactionBoundary): Promise<void> {
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
    /** Writes one line per block, each with the final usage of the call. Returns their uuids in the order of the blocks. */
    answer(answer: ModelEnd, fields: Readonly<Record<string, unknown>> = {}): Promise<readonly string[]> {
      tail = [];
      const requestId = answer.requestId ?? `req_${answer.id}`;
      const byAgent = defined({ attributionAgent: thread.agent?.type });
      return Promise.all(
        answer.content.map((block) =>
          append({ message: apiMessage(answer, [block]), requestId, ...byAgent, type: "assistant", ...fields }),
        ),
      );
    },
    /** Writes a tool result as a child of its call's line. */
    result(block: ToolResultBlock, callUuid: string, toolUseResult?: unknown): Promise<string> {
      const message = { role: "user", content: [block] };
      const about = { ...defined({ toolUseResult }), sourceToolAssistantUUID: callUuid };
      return append({ ...prompt(), type: "user", message, ...about }, { parent: callUuid });
    },
    attach: async (attachment: Attachment): Promise<void> => void (await append({ attachment, type: "attachment" })),
    /** Writes a message for readers of the transcript; the model does not get it. */
    inform: async (content: string, level: "info" | "warning"): Promise<void> =>
      void (await append({ type: "system", subtype: "informational", content, level, isMeta: false })),
    /** Writes any other line. */
    note: append,
  };
}

/** Ends the session: the conversation would be lost. */
function notWritten(file: string, cause: unknown): unknown {
  if (cause instanceof Problem) return cause;
  const message = `The transcript ${file} cannot be written: ${messageOf(cause)}. The session ends here.`;
  return new Problem("host/not-written", message, { about: { file }, cause });
}

/** Types of lines that name the current folder. */
const linesWithFolder: ReadonlySet<string> = new Set(["user", "assistant", "system", "attachment"]);

/** An answer, or some of its blocks, in the message format of the API. */
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

/** Token counts in the format of the API. */
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

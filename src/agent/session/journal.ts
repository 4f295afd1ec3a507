import type { ContentBlock, ModelEnd, ModelUsage, ToolResultBlock } from "../../models/internal.ts";
import { defined, messageOf, Problem } from "../../protocol/internal.ts";
import type { AppendRecordOptions, RecordDraft, TranscriptWriter } from "../../sessions/internal.ts";
import type { Attachment } from "../turn/attachments.ts";
import type { AgentThread } from "./agent-session.ts";

/** The transcript of one thread, in the client's format. Contract: when a call resolves, its lines are in the file. */
export interface Journal {
  readonly file: string;
  /** The parent uuid of the next line. */
  readonly tip: string | null;
  user(content: string | readonly ContentBlock[], fields?: UserFields, options?: AppendRecordOptions): Promise<string>;
  /** Writes one line per block, each with the final usage of the call. Returns their uuids in the order of the blocks. */
  answer(answer: ModelEnd, fields?: Readonly<Record<string, unknown>>): Promise<readonly string[]>;
  /** Writes a tool result as a child of its call's line. */
  result(block: ToolResultBlock, callUuid: string, toolUseResult?: unknown): Promise<string>;
  attach(attachment: Attachment): Promise<void>;
  /** The lines from the last answer on. */
  tailUuids(): readonly string[];
  /** Marks a compaction: the summary `anchorUuid` and the kept lines replace everything before. */
  boundary(compaction: CompactionBoundary): Promise<void>;
  /** Writes a message for readers of the transcript; the model does not get it. */
  inform(content: string, level: "info" | "warning"): Promise<void>;
  /** Writes any other line. */
  note(draft: RecordDraft, options?: AppendRecordOptions): Promise<string>;
}

/** Where a user line comes from. */
export interface UserFields {
  readonly isMeta?: boolean;
  readonly isCompactSummary?: boolean;
  readonly isVisibleInTranscriptOnly?: boolean;
  readonly permissionMode?: string;
  readonly promptSource?: string;
  readonly origin?: { readonly kind: string };
}

interface CompactionBoundary {
  readonly trigger: string;
  readonly preTokens: number;
  readonly postTokens: number;
  readonly durationMs: number;
  readonly anchorUuid: string;
  readonly uuids: readonly string[];
}

/** The lines name the folder and the prompt that the thread has when they are written. */
export function openJournal(
  transcript: TranscriptWriter,
  thread: Pick<AgentThread, "session" | "agent" | "cwd">,
): Journal {
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
      const byAgent = defined({ attributionAgent: thread.agent?.type });
      return Promise.all(
        answer.content.map((block) =>
          append({ message: apiMessage(answer, [block]), requestId, ...byAgent, type: "assistant", ...fields }),
        ),
      );
    },
    result(block, callUuid, toolUseResult) {
      const message = { role: "user", content: [block] };
      const about = { ...defined({ toolUseResult }), sourceToolAssistantUUID: callUuid };
      return append({ ...prompt(), type: "user", message, ...about }, { parent: callUuid });
    },
    attach: async (attachment) => void (await append({ attachment, type: "attachment" })),
    inform: async (content, level) =>
      void (await append({ type: "system", subtype: "informational", content, level, isMeta: false })),
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

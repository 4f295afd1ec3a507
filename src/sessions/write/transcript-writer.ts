import { type Fs, type LineWriter, nodeFs, withAppend } from "../../files/internal.ts";
import { messageOf, Problem } from "../../protocol/internal.ts";
import {
  composeRecord,
  type Envelope,
  isConversationDraft,
  type RecordDraft,
} from "../formats/claude-code/write-record.ts";
import { checkObject, checkRecord } from "../option-checks.ts";
import { spillLargeParts } from "../parts/spill-large-parts.ts";

/** One transcript file, open for appending. */
export interface TranscriptWriter {
  readonly file: string;
  /** The uuid that the next threaded record hangs on, unless it names another. */
  readonly tip: string | null;
  /**
   * Contract: when it resolves, the record is in the file as one whole line (`durable`: on the disk), behind every record
   * appended before it here. When it rejects, the record was not acknowledged; the file is valid either way.
   */
  append(draft: RecordDraft, options?: AppendRecordOptions): Promise<AppendResult>;
  /** Resolves when all that was appended is written; then refuses more. */
  close(): Promise<void>;
}

export interface AppendRecordOptions {
  readonly durable?: boolean;
  /** What a threaded record hangs on instead of the tip: a tool result on its call, null at a compaction. */
  readonly parent?: string | null;
  /** An id that another record had to name before this one was written. */
  readonly uuid?: string;
}

export interface AppendResult {
  /** Absent for records outside the conversation. */
  readonly uuid?: string;
  /** As it is in the file. */
  readonly record: Readonly<Record<string, unknown>>;
}

export interface TranscriptOptions {
  readonly file: string;
  readonly root: string;
  /** Where parts that are too large for a line go; inside the root. */
  readonly sessionFolder: string;
  readonly envelope: Envelope;
  readonly tip: string | null;
  readonly fs?: Fs;
  readonly now: () => number;
  readonly uuid: () => string;
}

interface Waiting {
  readonly draft: RecordDraft;
  readonly options: AppendRecordOptions;
  readonly done: (result: AppendResult) => void;
  readonly fail: (error: unknown) => void;
  result?: AppendResult;
  error?: unknown;
}

/** A record whose large parts are on disk. */
interface Ready {
  readonly waiting: Waiting;
  readonly draft: RecordDraft;
}

/** Records that wait together are written under one lock, but not so many that other processes must wait for long. */
const batchRecords = 64;

export function openTranscriptWriter(options: TranscriptOptions): TranscriptWriter {
  const { file, root, sessionFolder, envelope, fs = nodeFs, now, uuid } = options;
  const queue: Waiting[] = [];
  let tip = options.tip;
  let closed = false;
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (queue.length > 0) await writeBatch(queue.splice(0, batchRecords));
    running = undefined;
  }

  async function writeBatch(batch: readonly Waiting[]): Promise<void> {
    let written = tip;
    try {
      const ready: Ready[] = [];
      // One after the other: two results of one name must see each other's file.
      for (const waiting of batch) ready.push(...(await prepare(waiting)));
      if (ready.length === 0) return settle(batch);
      await withAppend(
        file,
        async (to) => {
          for (const one of ready) written = await writeOne(one, to, written);
          if (!ready.some(({ waiting }) => waiting.options.durable === true && waiting.result !== undefined)) return;
          // Nothing of the batch is in the file any more if this throws.
          const before = tip;
          await to.sync().catch((error: unknown) => {
            written = before;
            throw error;
          });
        },
        { fs },
      );
    } catch (error) {
      for (const waiting of batch) waiting.error ??= asProblem(error, file);
    }
    tip = written;
    settle(batch);
  }

  /** Large parts are on disk before the line that names them. */
  async function prepare(waiting: Waiting): Promise<Ready[]> {
    try {
      return [{ waiting, draft: await spillLargeParts(waiting.draft, root, sessionFolder, fs) }];
    } catch (error) {
      waiting.error = unwritable(error);
      return [];
    }
  }

  async function writeOne({ waiting, draft }: Ready, to: LineWriter, before: string | null): Promise<string | null> {
    const parentUuid = waiting.options.parent === undefined ? before : waiting.options.parent;
    const position = { uuid: waiting.options.uuid ?? uuid(), parentUuid, timestamp: new Date(now()).toISOString() };
    const record = composeRecord(draft, envelope, position);
    try {
      await to.line(JSON.stringify(record));
    } catch (error) {
      waiting.error = unwritable(error);
      return before;
    }
    const threaded = isConversationDraft(draft);
    waiting.result = threaded ? { uuid: position.uuid, record } : { record };
    return threaded ? position.uuid : before;
  }

  return {
    file,
    get tip() {
      return tip;
    },
    async append(draft, appendOptions = {}) {
      checkRecord(draft);
      checkObject("options", appendOptions);
      if (closed) throw new Problem("sessions/closed", `${file} is closed. Open the session again.`);
      return new Promise((done, fail) => {
        queue.push({ draft, options: appendOptions, done, fail });
        running ??= Promise.resolve().then(run);
      });
    },
    async close() {
      closed = true;
      await running;
    },
  };
}

function settle(batch: readonly Waiting[]): void {
  for (const { result, error, done, fail } of batch) {
    if (error !== undefined || result === undefined) fail(error);
    else done(result);
  }
}

/** A record that refers to itself, or holds what JSON has no words for: not the disk's fault, but the caller's. */
function unwritable(error: unknown): unknown {
  if (!(error instanceof TypeError || error instanceof RangeError) || "code" in error) return error;
  const message = `The record cannot be written as JSON: ${messageOf(error).split("\n")[0]}.`;
  return new Problem("sessions/option", message, { about: { option: "record" }, cause: error });
}

function asProblem(error: unknown, file: string): unknown {
  if (!(error instanceof Problem) || error.code !== "file/locked") return error;
  return new Problem("sessions/locked", error.message, { about: { ...error.about, file }, cause: error });
}

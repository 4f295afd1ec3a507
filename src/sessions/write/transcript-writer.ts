import { type Fs, type LineWriter, nodeFs, withAppend } from "../../files/internal.ts";
import { messageOf, Problem } from "../../protocol/internal.ts";
import {
  composeRecord,
  type Envelope,
  isConversationDraft,
  type RecordDraft,
} from "../formats/claude-code/write-record.ts";
import { checkAppendOptions, checkRecord } from "../option-checks.ts";
import { spillLargeParts } from "../parts/spill-large-parts.ts";

/** One transcript file, open for appending. */
export interface TranscriptWriter {
  readonly file: string;
  /** The parent of the next record of the conversation, unless the record names another. */
  readonly tip: string | null;
  /**
   * Contract: when it resolves, the record is in the file as one whole line (`durable`: on the disk), after every record
   * appended before it. When it rejects, the record may be missing; the file is valid either way.
   */
  append(draft: RecordDraft, options?: AppendRecordOptions): Promise<AppendResult>;
  /** Resolves when everything appended is written. After that, appending is an error. */
  close(): Promise<void>;
}

/** Options of `TranscriptWriter.append`. */
export interface AppendRecordOptions {
  readonly durable?: boolean;
  /** The parent instead of the tip: the call of a tool result, null for a compaction. */
  readonly parent?: string | null;
  /** The uuid of the record, when another record named it before. Default: a new one. */
  readonly uuid?: string;
}

/** The result of `TranscriptWriter.append`: the record as written. */
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
  /** Once it is prepared, without its large parts, which are on disk. */
  draft: RecordDraft;
  readonly options: AppendRecordOptions;
  readonly done: (result: AppendResult) => void;
  readonly fail: (error: unknown) => void;
  result?: AppendResult;
  error?: unknown;
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
      // One after the other: two results of one name must see each other's file.
      for (const waiting of batch) await prepare(waiting);
      const ready = batch.filter(({ error }) => error === undefined);
      if (ready.length === 0) return settle(batch);
      await withAppend(
        file,
        async (to) => {
          for (const waiting of ready) written = await writeOne(waiting, to, written);
          if (!ready.some(({ options, result }) => options.durable === true && result !== undefined)) return;
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
  async function prepare(waiting: Waiting): Promise<void> {
    try {
      waiting.draft = await spillLargeParts(waiting.draft, root, sessionFolder, fs);
    } catch (error) {
      waiting.error = unwritable(error);
    }
  }

  async function writeOne(waiting: Waiting, to: LineWriter, before: string | null): Promise<string | null> {
    const { draft, options: wanted } = waiting;
    const parentUuid = wanted.parent === undefined ? before : wanted.parent;
    const position = { uuid: wanted.uuid ?? uuid(), parentUuid, timestamp: new Date(now()).toISOString() };
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
      checkAppendOptions(appendOptions);
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

/** A record with a cycle or a value that JSON cannot hold is an error of the caller, not of the disk. */
function unwritable(error: unknown): unknown {
  if (!(error instanceof TypeError || error instanceof RangeError) || "code" in error) return error;
  const message = `The record cannot be written as JSON: ${messageOf(error).split("\n")[0]}.`;
  return new Problem("sessions/option", message, { about: { option: "record" }, cause: error });
}

function asProblem(error: unknown, file: string): unknown {
  if (!(error instanceof Problem) || error.code !== "file/locked") return error;
  return new Problem("sessions/locked", error.message, { about: { ...error.about, file }, cause: error });
}

import { type Fs, ignoringErrors, type LineWriter, nodeFs, withAppend } from "../../files/internal.ts";
import { messageOf, mustBe, Problem } from "../../protocol/internal.ts";
import {
  composeRecord,
  type Envelope,
  isConversationDraft,
  type RecordDraft,
} from "../formats/claude-code/write-record.ts";
import { checkAppendOptions, checkArgument, checkRecord, optionProblem } from "../option-checks.ts";
import { spillLargeParts } from "../parts/spill-large-parts.ts";
import { readEntries } from "../read/read-entries.ts";

/** One transcript file, open for appending. */
export interface TranscriptWriter {
  /** The transcript. */
  readonly file: string;
  /** The parent of the next record of the conversation, unless the record names another. */
  readonly tip: string | null;
  /**
   * Contract: when it resolves, the record is in the file as one whole line (`durable`: on the disk), after every record
   * appended before it. When it rejects, the record may be missing; the file is valid either way.
   * The record is taken as it is now: later changes of the object are not written. One that no reader could use is refused with
   * `sessions/option`.
   */
  append<Type extends string>(draft: RecordDraft<Type>, options?: AppendRecordOptions): Promise<AppendResult>;
  /** Resolves when everything appended is written. After that, appending is an error. */
  close(): Promise<void>;
}

/** Options of `TranscriptWriter.append`. */
export interface AppendRecordOptions {
  /** Wait until the record is on the disk. Default: until it is in the file. */
  readonly durable?: boolean;
  /** The parent instead of the tip: a record of this file, such as the call of a tool result; null for a compaction. */
  readonly parent?: string | null;
  /** The uuid of the record, when another record named it before; not that of a record in the file. Default: a new one. */
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
  /** Written before the next `user` record. */
  readonly fillers?: readonly RecordDraft[];
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

/** A writer for the store, which may have to open the file again. */
export interface OpenTranscript extends TranscriptWriter {
  readonly isClosed: boolean;
}

export function openTranscriptWriter(options: TranscriptOptions): OpenTranscript {
  const { file, root, sessionFolder, envelope, fs = nodeFs, now, uuid } = options;
  const queue: Waiting[] = [];
  /** Of records in the file: those known to the writer, and all others once they are needed. */
  const uuids = new Set(options.tip === null ? [] : [options.tip]);
  let knowsAll = false;
  let { tip, fillers = [] } = options;
  let closed = false;
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (queue.length > 0) await writeBatch(queue.splice(0, batchRecords));
    running = undefined;
  }

  async function writeBatch(batch: readonly Waiting[]): Promise<void> {
    let written = tip;
    const missing = fillers;
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
          await to.sync().catch((error: unknown) => {
            written = tip;
            fillers = missing;
            for (const { result } of ready) uuids.delete(result?.uuid ?? "");
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
      const { parent, uuid: own } = waiting.options;
      if (typeof parent === "string" && !uuids.has(parent)) await learnUuids();
      if (own !== undefined && !knowsAll) await learnUuids();
      waiting.draft = await spillLargeParts(waiting.draft, root, sessionFolder, fs);
    } catch (error) {
      waiting.error = unwritable(error);
    }
  }

  async function learnUuids(): Promise<void> {
    knowsAll = true;
    if ((await ignoringErrors(["ENOENT"], fs.lstat(file))) === undefined) return;
    for await (const entries of readEntries(file))
      for (const entry of entries) if (entry.kind !== "unreadable" && entry.uuid !== undefined) uuids.add(entry.uuid);
  }

  async function writeOne(waiting: Waiting, to: LineWriter, before: string | null): Promise<string | null> {
    const { draft, options: wanted } = waiting;
    let last = before;
    try {
      checkIds(wanted);
      for (const filler of draft.type === "user" ? fillers : []) {
        await write(filler, {});
        fillers = fillers.slice(1);
      }
      waiting.result = await write(draft, wanted);
    } catch (error) {
      waiting.error = unwritable(error);
    }
    return last;

    async function write(one: RecordDraft, ids: AppendRecordOptions): Promise<AppendResult> {
      const { uuid: own = uuid(), parent: parentUuid = last } = ids;
      const record = composeRecord(one, envelope, { uuid: own, parentUuid, timestamp: new Date(now()).toISOString() });
      await to.line(JSON.stringify(record));
      if (!isConversationDraft(one)) return { record };
      uuids.add(own);
      last = own;
      return { uuid: own, record };
    }
  }

  function checkIds({ parent, uuid: own }: AppendRecordOptions): void {
    // No branch would lead to the record.
    if (typeof parent === "string" && !uuids.has(parent))
      throw optionProblem("parent", parent, "the uuid of a record in this transcript");
    // Readers would take the record for the other one, or for its own parent.
    if (own !== undefined && uuids.has(own))
      throw optionProblem("uuid", own, "a uuid that no record in this transcript has");
  }

  return {
    file,
    get tip() {
      return tip;
    },
    async append(given, appendOptions = {}) {
      const draft = jsonCopy(given);
      checkRecord(draft);
      checkAppendOptions(appendOptions);
      if (closed) throw closedProblem(file);
      return new Promise((done, fail) => {
        queue.push({ draft, options: { ...appendOptions }, done, fail });
        running ??= Promise.resolve().then(run);
      });
    },
    get isClosed() {
      return closed;
    },
    async close() {
      closed = true;
      await running;
      uuids.clear();
    },
  };
}

export function closedProblem(file: string): Problem {
  return new Problem("sessions/closed", `${file} is closed. Open the session again.`);
}

/** The record as a line can hold it. */
function jsonCopy(draft: RecordDraft): RecordDraft {
  checkArgument("record", draft, mustBe.object);
  try {
    // A record whose toJSON returns nothing has no text.
    return JSON.parse(JSON.stringify(draft) ?? "null");
  } catch (error) {
    throw unwritable(error);
  }
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
  const isEndless = /^(?:Maximum call stack|Converting circular)/.test(messageOf(error));
  const why = isEndless ? "it contains itself, or is nested too deeply" : messageOf(error).split("\n")[0];
  const message = `The record cannot be written as JSON: ${why}.`;
  return new Problem("sessions/option", message, { about: { option: "record" }, cause: error });
}

function asProblem(error: unknown, file: string): unknown {
  if (!(error instanceof Problem) || error.code !== "file/locked") return error;
  return new Problem("sessions/locked", error.message, { about: { ...error.about, file }, cause: error });
}

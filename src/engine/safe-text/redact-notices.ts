import { type Ended, type HookRef, type RunRecord, type Verdict, withoutSecrets } from "../../protocol/internal.ts";
import { callHost, type Notice } from "../ports.ts";

export interface RedactOptions {
  /** Whether what hooks were given and what they said may be seen at all. */
  readonly content: boolean;
}

/**
 * A record as observers may see it: secrets and URL credentials blacked out wherever they occur, and without `content` nothing that a
 * hook said but which kind of verdict it gave.
 */
export function redact(record: RunRecord, secrets: readonly string[], options: RedactOptions): RunRecord {
  return withoutSecrets(options.content ? record : withoutContent(record), secrets);
}

/** The same for every notice to an observer. */
export function redactNotice(notice: Notice, secrets: readonly string[], options: RedactOptions): Notice {
  if ("record" in notice) {
    const hook = "hook" in notice ? { hook: withoutSecrets<HookRef>(notice.hook, secrets) } : {};
    return { ...notice, ...hook, record: redact(notice.record, secrets, options) };
  }
  const hidesReason = "reason" in notice && !options.content;
  return withoutSecrets(hidesReason ? { ...notice, reason: leftOut } : notice, secrets);
}

/** Replaces a text that may not be shown. */
const leftOut = "[content left out]";

function withoutContent({ answer, ...record }: RunRecord): RunRecord {
  return {
    ...record,
    ended: record.ended.by === "threw" ? { by: "threw", message: leftOut } : record.ended,
    verdict: withoutWords(record.verdict),
    stdout: "",
    stderr: "",
    ...(answer?.failure === undefined
      ? {}
      : { answer: { failure: saidByUs(record.ended) ? answer.failure : leftOut } }),
  };
}

/** A reason is the hook's own words, which may repeat what it was given. */
function withoutWords({ kind }: Verdict): Verdict {
  return kind === "ask" || kind === "deny" ? { kind, reason: leftOut } : { kind };
}

/** Whether the words of the failure are the engine's; those of other ends may quote the hook. */
function saidByUs({ by }: Ended): boolean {
  return by === "not-started" || by === "timeout" || by === "cancelled" || by === "http" || by === "signal";
}

export interface ObserveOptions {
  readonly observe: (notice: Notice) => void;
  readonly content: boolean;
  /** Values that must not be shown, read when there is a notice to send. */
  secrets(): readonly string[];
  /** What the observer throws is worth a word, and changes nothing. */
  onThrow(error: unknown): void;
}

/** Tells the host's observer, redacted. Contract: cannot delay or change an outcome. */
export function observer({ observe, content, secrets, onThrow }: ObserveOptions): (notice: Notice) => void {
  return (notice) => {
    callHost(() => observe(redactNotice(notice, secrets(), { content })), onThrow);
  };
}

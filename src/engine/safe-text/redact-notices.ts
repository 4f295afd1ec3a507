import {
  callHost,
  type Ended,
  type Hook,
  isSecretVariable,
  type RunRecord,
  type Verdict,
  withoutSecrets,
} from "../../protocol/internal.ts";
import type { Environment } from "../options.ts";
import type { Notice } from "../ports.ts";
import { replaceVariables } from "../runners/command/command-env.ts";

interface RedactOptions {
  /** Whether observers may see what hooks received and answered. */
  readonly content: boolean;
}

/**
 * A notice as observers may see it: secrets and URL credentials are blacked out wherever they occur, and without `content` the kind of
 * its verdict is all that is left of a hook's answer.
 */
export function redactNotice(notice: Notice, secrets: readonly string[], { content }: RedactOptions): Notice {
  if (content) return withoutSecrets(notice, secrets);
  if ("record" in notice) return withoutSecrets({ ...notice, record: withoutContent(notice.record) }, secrets);
  return withoutSecrets("reason" in notice ? { ...notice, reason: leftOut } : notice, secrets);
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

interface ObserveOptions extends RedactOptions {
  readonly observe: (notice: Notice) => void;
  readonly env: Environment;
  hooks(): readonly Hook[];
  /** Receives what the observer throws. */
  onThrow(error: unknown): void;
}

/** Sends redacted notices to the host's observer. Contract: cannot delay or change an outcome. */
export function observer({ observe, content, env, hooks, onThrow }: ObserveOptions): (notice: Notice) => void {
  let known: { readonly hooks: readonly Hook[]; readonly secrets: readonly string[] } | undefined;
  const secrets = (): readonly string[] => {
    const now = hooks();
    const isSame = known?.hooks.length === now.length && now.every((hook, index) => hook === known?.hooks[index]);
    if (known === undefined || !isSame) known = { hooks: now, secrets: secretValues(env, now) };
    return known.secrets;
  };
  return (notice) => callHost(() => observe(redactNotice(notice, secrets(), { content })), onThrow);
}

/**
 * The texts that no observer may see: values of variables with secret-looking names, and the values of http headers, as written, with
 * their variables replaced and without the word for their scheme. Each also in the spellings of JSON and of URLs; longest first.
 */
export function secretValues(env: Environment, hooks: readonly Hook[]): readonly string[] {
  const found = new Set<string>();
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && isSecretVariable(name)) add(found, value);
  }
  for (const hook of hooks) {
    if (hook.type !== "http") continue;
    for (const [name, written] of Object.entries(hook.headers ?? {})) {
      if (!harmless.has(name.toLowerCase())) addHeader(found, written, env);
    }
  }
  return [...found].sort((a, b) => b.length - a.length);
}

/** Shorter values are too common in ordinary text to be blacked out. */
const fewestChars = 6;

/** Headers that describe the request and hold no secret. */
const harmless: ReadonlySet<string> = new Set(["accept", "accept-encoding", "content-type", "user-agent"]);

function addHeader(found: Set<string>, written: string, env: Environment): void {
  const filled = replaceVariables(written, (name) => {
    const value = (Object.hasOwn(env, name) ? env[name] : undefined) ?? "";
    add(found, value);
    return value;
  });
  // A header that is all variable has no literal part that could be a secret.
  if (replaceVariables(written, () => "").trim() !== "") add(found, written);
  add(found, filled);
  add(found, filled.replace(/^(?:bearer|basic|digest|token|apikey|key)\s+/i, ""));
}

function add(found: Set<string>, value: string): void {
  const text = value.trim();
  if (text.length < fewestChars) return;
  found.add(text);
  found.add(JSON.stringify(text).slice(1, -1));
  // Half of a surrogate pair cannot be written in a URL.
  found.add(encodeURIComponent(Buffer.from(text).toString()));
}

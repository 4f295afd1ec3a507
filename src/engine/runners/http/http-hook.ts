import { randomBytes } from "node:crypto";
import {
  answerProof,
  type DaemonRecord,
  type HomeSource,
  isAnswerProof,
  isFileProblem,
  proofHeaders,
  readDaemonRecord,
  readState,
} from "../../../files/internal.ts";
import { fieldOf, type HttpHook, parseJson, type Warning } from "../../../protocol/internal.ts";
import type { HookRun } from "../../fire/firing-event.ts";
import type { Environment } from "../../options.ts";
import { hookEnvironment } from "../command/command-env.ts";
import { type Limit, waitFor } from "../run-limits.ts";
import {
  droppedFromStdout,
  emptyOutput,
  failedResult,
  type RunnerResult,
  resultNotStarted,
  resultWithoutAnswer,
} from "../runner-result.ts";
import {
  admitUrl,
  appKeyIn,
  type HttpPolicy,
  httpPolicyOf,
  type Resolve,
  resolveHost,
  systemResolve,
  urlInWords,
} from "./destination.ts";
import { type Exchanged, exchange, type OwnDaemon } from "./exchange.ts";
import { fillHeaders, withSignIn } from "./headers.ts";

export interface HttpCall extends Limit {
  /** The payload as JSON, without a newline. */
  readonly body: string;
  readonly env: Environment;
  readonly policy: HttpPolicy;
  /** Where daemon records are stored. Default: as for this process. */
  readonly home?: HomeSource;
  /** Looks up the addresses of a host name, at most once. Default: the system resolver. */
  readonly resolve?: Resolve;
}

export function runHttpHook(
  hook: HttpHook,
  { event, hook: configured, line, timeoutMs }: HookRun,
): Promise<RunnerResult> {
  const { settings, services, signal } = event;
  const env = hookEnvironment(configured, event);
  const policy = httpPolicyOf(configured, settings);
  return runHttp(hook, { body: line, env, policy, timeoutMs, signal, home: services.options });
}

/** Contract: resolves by the deadline whatever the server does, name lookup and the last byte included. */
export async function runHttp(hook: HttpHook, call: HttpCall): Promise<RunnerResult> {
  const waited = await waitFor((signal) => post(hook, call, signal), call);
  return waited.by === "answered" ? waited.value : resultWithoutAnswer(waited, call);
}

/** The request without its deadline. Contract: no text in the result contains a header value or the query of a URL. */
async function post(hook: HttpHook, call: HttpCall, signal: AbortSignal): Promise<RunnerResult> {
  const admitted = admitUrl(hook.url, call.policy);
  if ("refused" in admitted) return resultNotStarted(admitted.refused);
  const { url, allowPrivate } = admitted;
  const filled = fillHeaders(hook.headers ?? {}, {
    env: call.env,
    allowedByHook: hook.allowedEnvVars ?? [],
    allowedByPolicy: call.policy.variableLists,
  });
  if ("refused" in filled) return resultNotStarted(filled.refused, filled.warnings);
  const resolved = await resolveHost(url.hostname, allowPrivate, call.resolve ?? systemResolve);
  if ("refused" in resolved) return resultNotStarted(resolved.refused, filled.warnings);
  signal.throwIfAborted();
  const { addresses } = resolved;
  const daemon = await ownDaemon(url, call.home ?? {});
  const own = withSignIn(filled.headers, url);
  const headers = daemon === undefined ? own : [...own, daemon.header];
  const exchanged = await exchange({ url, addresses, headers, body: call.body, daemon }, signal);
  return resultOf(exchanged, url, filled.warnings);
}

function resultOf(exchanged: Exchanged, url: URL, warnings: readonly Warning[]): RunnerResult {
  if ("broken" in exchanged) {
    const message = `${urlInWords(url)}: ${exchanged.broken}`;
    if (!exchanged.sent) return resultNotStarted(message, warnings);
    return failedResult({ by: "threw", message }, message, warnings);
  }
  const { status, body } = exchanged;
  const failure = failureOf(exchanged, url);
  return {
    ...emptyOutput,
    ended: { by: "http", status },
    output: { kind: "body", ok: failure === undefined, whole: body.trouble === undefined },
    stdout: body.text,
    droppedBytes: droppedFromStdout(body.droppedBytes),
    failure,
    warnings,
  };
}

function failureOf({ status, body }: Exclude<Exchanged, { broken: string }>, url: URL): string | undefined {
  const where = urlInWords(url);
  if (status >= 300 && status < 400) return `HTTP ${status} from ${where}: redirects are not followed`;
  if (status < 200 || status >= 300) return `HTTP ${status} from ${where}`;
  return body.trouble === undefined ? undefined : `${where} ${body.trouble}`;
}

/** Undefined when the URL does not belong to an app's daemon. */
async function ownDaemon(url: URL, home: HomeSource): Promise<OwnDaemon | undefined> {
  const key = appKeyIn(url);
  if (key === undefined) return undefined;
  // Newer entries are marked in the URL; an older one uses the port that was chosen for the app.
  if (!url.searchParams.has("daemon") && (await chosenPort(key, home)) !== Number(url.port)) return undefined;
  const challenge = randomBytes(32).toString("hex");
  let record: DaemonRecord | undefined;
  return {
    header: [proofHeaders.challenge, challenge],
    async refuses() {
      try {
        record = await readDaemonRecord(key, home);
      } catch (error) {
        if (!isFileProblem(error)) throw error;
        return error.message;
      }
      if (record === undefined)
        return "the daemon is not running; nothing was sent to the process that listens on its port";
      const isDaemonPort = url.hostname === "127.0.0.1" && record.port === Number(url.port);
      return isDaemonPort
        ? undefined
        : "the daemon listens on another port; nothing was sent to the process that listens on this one";
    },
    proves: (status, body, proof) =>
      record !== undefined && isAnswerProof(proof, answerProof(record.secret, challenge, status, body)),
  };
}

async function chosenPort(key: string, home: HomeSource): Promise<number | undefined> {
  const bytes = await readState(["daemon", key, "endpoint.json"], home);
  // Not valid JSON when it was truncated by a power failure: the daemon chooses another port.
  const port = fieldOf(parseJson(bytes?.toString("utf8") ?? "{}"), "port");
  return typeof port === "number" ? port : undefined;
}

import type { HttpHook, Warning } from "../../../protocol/internal.ts";
import { nothingSaid, notStarted, type Ran } from "../runner-result.ts";
import { admitUrl, resolveHost, systemResolve, urlInWords } from "./destination.ts";
import { type Exchanged, exchange } from "./exchange.ts";
import { fillHeaders, withSignIn } from "./headers.ts";
import { type HttpCall, ownDaemon } from "./http-hook.ts";

/** Everything of an http hook but its deadline. Contract: no text of it holds a header's value or a URL's query. */
export async function post(hook: HttpHook, call: HttpCall, signal: AbortSignal): Promise<Ran> {
  const admitted = admitUrl(hook.url, call.policy);
  if ("refused" in admitted) return notStarted(admitted.refused);
  const { url, allowPrivate } = admitted;
  const filled = fillHeaders(hook.headers ?? {}, {
    env: call.env,
    allowedByHook: hook.allowedEnvVars ?? [],
    allowedByPolicy: call.policy.allowedEnvVars,
  });
  if ("refused" in filled) return notStarted(filled.refused, filled.warnings);
  const resolved = await resolveHost(url.hostname, allowPrivate, call.resolve ?? systemResolve);
  if ("refused" in resolved) return notStarted(resolved.refused, filled.warnings);
  signal.throwIfAborted();
  const { addresses } = resolved;
  const daemon = await ownDaemon(url, call.home ?? {});
  const own = withSignIn(filled.headers, url);
  const headers = daemon === undefined ? own : [...own, daemon.header];
  const to = daemon === undefined ? {} : { daemon };
  const ask = { url, addresses, headers, body: call.body, version: call.version, ...to };
  return ranFrom(await exchange(ask, signal), url, filled.warnings);
}

function ranFrom(exchanged: Exchanged, url: URL, warnings: readonly Warning[]): Ran {
  if ("broken" in exchanged) {
    const why = `${urlInWords(url)}: ${exchanged.broken}`;
    if (!exchanged.sent) return notStarted(why, warnings);
    return { ...nothingSaid, ended: { by: "threw", message: why }, failure: why, warnings };
  }
  const { status, body } = exchanged;
  const failure = failureOf(exchanged, url);
  return {
    ended: { by: "http", status },
    said: { kind: "body", ok: failure === undefined, whole: body.trouble === undefined },
    stdout: body.text,
    stderr: "",
    ...(body.dropped > 0 ? { droppedBytes: { stdout: body.dropped, stderr: 0 } } : {}),
    ...(failure === undefined ? {} : { failure }),
    warnings,
  };
}

function failureOf({ status, body }: Exclude<Exchanged, { broken: string }>, url: URL): string | undefined {
  const where = urlInWords(url);
  if (status >= 300 && status < 400) return `HTTP ${status} from ${where}: redirects are not followed`;
  if (status < 200 || status >= 300) return `HTTP ${status} from ${where}`;
  return body.trouble === undefined ? undefined : `${where} ${body.trouble}`;
}

import type { FailureMode } from "../../sdk/internal.ts";
import { type AppVersion, type AppVersionOptions, type Failure, openAppVersion } from "../worker/app-version.ts";
import {
  type CallerLiveness,
  eventFacts,
  failedAnswer,
  type HookRequest,
  type WorkerAnswer,
} from "../worker/messages.ts";
import { maybeChanged, readAppSources, type Sources } from "./app-sources.ts";

/** An app that stays loaded and follows its files. */
export interface WarmApp {
  /** Contract: before a call the files are looked at; a call that has begun ends on the code it began with. */
  call(asked: HookRequest, interest: CallerLiveness): Promise<WarmAnswer>;
  /** Of the code that answers now. */
  readonly sourceHash: string;
  readonly open: number;
  /** Contract: settles in time, whatever the app holds; calls that it still has get no answer. */
  end(): Promise<void>;
}

/** `busy`: why the daemon cannot answer now. A client then answers in process; for other callers the mode decides. */
export type WarmAnswer = WorkerAnswer | { readonly busy: string; readonly mode: FailureMode };

export interface WarmOptions extends Omit<AppVersionOptions, "sourceHash"> {
  /** Called when other code answers. */
  readonly changed: (sourceHash: string) => void;
  readonly failed: (failure: Failure, asked: HookRequest) => void;
}

/** While the newest code does not load it is tried again after this long: a missing import may have come. */
const tryAgainMs = 2_000;
/** Files that are saved without end are not waited for. */
const mostLoads = 3;

export async function openWarmApp(options: WarmOptions): Promise<WarmApp> {
  let good: AppVersion | undefined;
  /** Older versions that still have calls, or values to dispose. */
  const leaving = new Set<AppVersion>();
  let broken: { sources: Sources; message: string; at: number } | undefined;
  let loading: Promise<void> | undefined;
  let open = 0;
  const notices = openSessionNotices();

  const load = async () => {
    const sources = await readAppSources(options.file);
    if (good !== undefined && sources.hash === good.sources.hash) {
      good.sources = sources;
      return clearFailure();
    }
    const opened = await openAppVersion({ ...options, sourceHash: sources.hash }, sources);
    if (typeof opened === "string") {
      broken = { sources, message: opened, at: performance.now() };
      options.complain(opened);
      return;
    }
    if (good !== undefined) {
      const old = good;
      leaving.add(old);
      old.retire(() => leaving.delete(old));
    }
    good = opened;
    clearFailure();
    options.changed(sources.hash);
  };
  const clearFailure = () => {
    broken = undefined;
    notices.forget();
  };
  const loadOnce = (): Promise<void> => {
    loading ??= load().finally(() => {
      loading = undefined;
    });
    return loading;
  };
  const changed = (): boolean => {
    const known = broken?.sources ?? good?.sources;
    return known === undefined || maybeChanged(known);
  };
  /** Files may be saved again while they are loaded. */
  const follow = async (): Promise<void> => {
    for (let tries = 0; tries < mostLoads && (loading !== undefined || changed()); tries++) await loadOnce();
  };
  /** While older code still answers, calls do not wait for the retry. */
  const retryLoad = (): Promise<void> | undefined => {
    if (broken === undefined || performance.now() - broken.at < tryAgainMs) return undefined;
    broken = { ...broken, at: performance.now() };
    const tried = loadOnce();
    return good === undefined ? tried : undefined;
  };
  const answer = async (asked: HookRequest, interest: CallerLiveness): Promise<WarmAnswer> => {
    // A retry alone is not awaited.
    if (changed() || (loading !== undefined && broken === undefined)) await follow();
    const tried = retryLoad();
    if (tried !== undefined) await tried;
    if (good === undefined) {
      const why = broken?.message ?? `${options.file} is not loaded.`;
      options.failed({ ...eventFacts(asked.text), why, log: {} }, asked);
      return failedAnswer(asked, asked.onFailure ?? "continue", why);
    }
    const notice = broken && `The changed hooks file does not load; the last good one still answers. ${broken.message}`;
    const end = await good.call(asked, interest);
    if (end.kind === "busy") return { busy: end.why, mode: end.mode };
    if (end.kind === "without-answer") options.failed(end.failure, asked);
    return notice === undefined ? end.answer : notices.add(end.answer, asked.text, notice);
  };
  await loadOnce();

  return {
    get sourceHash() {
      return good?.sources.hash ?? "";
    },
    get open() {
      return open;
    },
    async end() {
      await Promise.all([...leaving, ...(good === undefined ? [] : [good])].map((one) => one.end()));
    },
    async call(asked, interest) {
      open++;
      try {
        return await answer(asked, interest);
      } finally {
        open--;
      }
    },
  };
}

/** Sessions beyond this number are forgotten and may get a notice again. */
const mostSessions = 10_000;

/** Adds a notice to the first answer of each session that has room for it. */
export function openSessionNotices() {
  /** The last notice of each session. */
  const delivered = new Map<string, string>();
  return {
    /** Adds the notice to the answer of a session that has not got it. */
    add(answer: WorkerAnswer, payload: string, notice: string): WorkerAnswer {
      const { event, session: id } = eventFacts(payload);
      const session = String(id);
      if (event === "" || delivered.get(session) === notice) return answer;
      delivered.set(session, notice);
      const surplus = delivered.size > mostSessions ? mostSessions / 10 : 0;
      for (const oldest of [...delivered.keys()].slice(0, surplus)) delivered.delete(oldest);
      return withNotice(answer, notice);
    },
    /** The notice no longer applies. If it comes back, it is delivered again. */
    forget: (): void => delivered.clear(),
  };
}

/** An answer that is not JSON has no room for it; then it goes to stderr. */
function withNotice(answer: WorkerAnswer, notice: string): WorkerAnswer {
  const { exitCode, stdout, stderr, json } = answer;
  if (exitCode !== 0 || (!json && stdout !== "")) return { ...answer, stderr: `hookline: ${notice}\n${stderr}` };
  const wire = json ? (JSON.parse(stdout) as Readonly<Record<string, unknown>>) : {};
  const before = wire["systemMessage"];
  const systemMessage = typeof before === "string" ? `${before}\n${notice}` : notice;
  return { ...answer, json: true, stdout: `${JSON.stringify({ ...wire, systemMessage })}\n` };
}

import { withTimeout } from "../../sdk/internal.ts";
import { type AppVersion, type AppVersionOptions, openAppVersion, type WarmAnswer } from "../worker/app-version.ts";
import { eventFacts, failedAnswer, type HookRequest, type WorkerAnswer } from "../worker/messages.ts";
import { maybeChanged, readAppSources, type Sources } from "./app-sources.ts";

/** An app that stays loaded and follows its files. */
export interface WarmApp {
  /** Contract: before a call the files are looked at; a call that has begun ends on the code it began with. `gone` aborts handlers. */
  call(asked: HookRequest, gone: AbortSignal): Promise<WarmAnswer>;
  /** Of the code that answers now. */
  readonly sourceHash: string;
  readonly open: number;
  /** Contract: settles in time, whatever the app holds; calls that it still has get no answer. */
  end(): Promise<void>;
}

export interface WarmOptions extends Omit<AppVersionOptions, "sourceHash"> {
  /** Called when other code answers. */
  readonly changed: (sourceHash: string) => void;
  /** How long a call waits for changed files to load. Default: 13 seconds. */
  readonly followMs?: number;
}

/** While the newest code does not load it is tried again after this long: a missing import may have come. */
const tryAgainMs = 2_000;
/** Files that are saved without end are not waited for. */
const mostLoads = 3;
/** One load, and less than any agent waits for an entry under `block`. */
const defaultFollowMs = 13_000;

export async function openWarmApp(options: WarmOptions): Promise<WarmApp> {
  let good: AppVersion | undefined;
  /** Older versions that still have calls, or values to dispose. */
  const leaving = new Set<AppVersion>();
  let broken: { sources: Sources; message: string; at: number } | undefined;
  let loading: Promise<void> | undefined;
  let open = 0;

  const load = async (isRetry: boolean) => {
    const sources = await readAppSources(options.file);
    if (good !== undefined && isSame(good.sources, sources)) {
      good.sources = sources;
      broken = undefined;
      return;
    }
    if (broken !== undefined && !isRetry && isSame(broken.sources, sources)) {
      broken = { ...broken, sources };
      return;
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
    broken = undefined;
    options.changed(sources.hash);
  };
  const loadOnce = (isRetry = false): Promise<void> => {
    loading ??= load(isRetry).finally(() => {
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
    const tried = loadOnce(true);
    return good === undefined ? tried : undefined;
  };
  const answer = async (asked: HookRequest, gone: AbortSignal): Promise<WarmAnswer> => {
    // A retry alone is not awaited.
    const isBehind = changed() || (loading !== undefined && broken === undefined);
    const updated = isBehind ? follow().then(retryLoad) : retryLoad();
    const { followMs = defaultFollowMs } = options;
    const isLate =
      updated !== undefined &&
      (await withTimeout(
        updated.then(() => false),
        followMs,
        () => true,
      ));
    if (good === undefined) {
      const why = broken?.message ?? `${options.file} is not loaded.`;
      options.failed({ ...eventFacts(asked.text), why, log: {} }, asked);
      return failedAnswer(asked, asked.onFailure ?? "continue", why);
    }
    const fault = broken ? "does not load" : isLate ? "is still loading" : undefined;
    const notice =
      fault && `The changed hooks file ${fault}; the last good one still answers.${broken ? ` ${broken.message}` : ""}`;
    const given = await good.call(asked, gone);
    const room = notice !== undefined && !("busy" in given) && eventFacts(asked.text).event !== "";
    return room ? withNotice(given, notice) : given;
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
    async call(asked, gone) {
      open++;
      try {
        return await answer(asked, gone);
      } finally {
        open--;
      }
    },
  };
}

function isSame(a: Sources, b: Sources): boolean {
  return a.hash === b.hash && a.packages === b.packages;
}

/** Adds a notice to an answer. One that is not JSON has no room for it; then it goes to stderr. */
export function withNotice(answer: WorkerAnswer, notice: string): WorkerAnswer {
  const { exitCode, stdout, stderr, json } = answer;
  if (exitCode !== 0 || (!json && stdout !== "")) return { ...answer, stderr: `hookline: ${notice}\n${stderr}` };
  const wire = json ? (JSON.parse(stdout) as Readonly<Record<string, unknown>>) : {};
  const before = wire["systemMessage"];
  const systemMessage = typeof before === "string" ? `${before}\n${notice}` : notice;
  return { ...answer, json: true, stdout: `${JSON.stringify({ ...wire, systemMessage })}\n` };
}

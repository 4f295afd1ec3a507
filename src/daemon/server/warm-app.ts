import { answerWithoutHandlers, appFailure, type FailureMode, readPayload } from "../../sdk/internal.ts";
import {
  aboutEvent,
  type Failure,
  type Generation,
  type GenerationOptions,
  openGeneration,
} from "../worker/app-version.ts";
import { type Asked, answerOf, type Interest, type ThreadAnswer } from "../worker/messages.ts";
import { readSources, type Sources, touched } from "./app-sources.ts";

/** An app that stays loaded and follows its files. */
export interface WarmApp {
  /** Contract: before a call the files are looked at; a call that has begun ends on the code it began with. */
  call(asked: Asked, interest: Interest): Promise<WarmAnswer>;
  /** Of the code that answers now. */
  readonly sourceHash: string;
  readonly open: number;
  /** Contract: settles in time, whatever the app holds; calls that it still has get no answer. */
  end(): Promise<void>;
}

/** `busy`: why nobody here can answer now. A client does it by itself; for others the mode decides. */
export type WarmAnswer = ThreadAnswer | { readonly busy: string; readonly mode: FailureMode };

export interface WarmOptions extends Omit<GenerationOptions, "sourceHash"> {
  /** Told of what is loaded. */
  readonly changed: (sourceHash: string) => void;
  readonly failed: (failure: Failure, asked: Asked) => void;
}

/** While the newest code does not load it is tried again after this long: a missing import may have come. */
const tryAgainMs = 2_000;
/** Files that are saved without end are not waited for. */
const mostLoads = 3;

export async function openWarmApp(options: WarmOptions): Promise<WarmApp> {
  let good: Generation | undefined;
  /** Older ones that still have calls, or something to let go of. */
  const leaving = new Set<Generation>();
  let broken: { sources: Sources; message: string; at: number } | undefined;
  let loading: Promise<void> | undefined;
  let open = 0;
  const notices = openNotices();

  const load = async () => {
    const sources = await readSources(options.file);
    if (good !== undefined && sources.hash === good.sources.hash) {
      good.sources = sources;
      return mended();
    }
    const opened = await openGeneration({ ...options, sourceHash: sources.hash }, sources);
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
    mended();
    options.changed(sources.hash);
  };
  const mended = () => {
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
    return known === undefined || touched(known);
  };
  /** Files may be saved again while they are loaded. */
  const follow = async (): Promise<void> => {
    for (let tries = 0; tries < mostLoads && (loading !== undefined || changed()); tries++) await loadOnce();
  };
  /** While there is a good one, nobody waits for what did not load before to be tried again. */
  const tryAgain = (): Promise<void> | undefined => {
    if (broken === undefined || performance.now() - broken.at < tryAgainMs) return undefined;
    broken = { ...broken, at: performance.now() };
    const tried = loadOnce();
    return good === undefined ? tried : undefined;
  };
  const answer = async (asked: Asked, interest: Interest): Promise<WarmAnswer> => {
    // What is only tried again is not waited for.
    if (changed() || (loading !== undefined && broken === undefined)) await follow();
    const tried = tryAgain();
    if (tried !== undefined) await tried;
    if (good === undefined) {
      const why = broken?.message ?? `${options.file} is not loaded.`;
      options.failed({ ...aboutEvent(asked.text), why, log: {} }, asked);
      return notLoaded(asked, why);
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

/** As `hookline run` tells it to a client; an http answer has no exit status, so it says it in the event's own words. */
function notLoaded(
  { text, transport, onFailure = "continue" }: Pick<Asked, "text" | "transport" | "onFailure">,
  message: string,
): ThreadAnswer {
  const payload = readPayload(text);
  if ("fault" in payload) return answerOf(appFailure(message, onFailure));
  if (transport === "client") return answerOf(appFailure(message, onFailure, payload.value));
  return answerOf(answerWithoutHandlers(payload.value, onFailure, message));
}

/** What every session should hear once, put into the first answer that has room for it. */
interface Notices {
  /** Adds it to the answer of a session that has not heard it. */
  add(answer: ThreadAnswer, payload: string, notice: string): ThreadAnswer;
  /** It does not hold any more: should it come back, it is told again. */
  forget(): void;
}

/** Who came before this many others is told again. */
const mostSessions = 10_000;

export function openNotices(): Notices {
  const told = new Set<string>();
  let last: string | undefined;
  return {
    add(answer, payload, notice) {
      if (notice !== last) told.clear();
      last = notice;
      const session = sessionOf(payload);
      if (session === undefined || told.has(session)) return answer;
      told.add(session);
      if (told.size > mostSessions) for (const oldest of [...told].slice(0, mostSessions / 10)) told.delete(oldest);
      return withNotice(answer, notice);
    },
    forget() {
      told.clear();
      last = undefined;
    },
  };
}

function sessionOf(payload: string): string | undefined {
  const read = readPayload(payload);
  return "value" in read ? String(read.value["session_id"]) : undefined;
}

/** An answer that is no JSON has no room for it; then it goes to stderr. */
function withNotice(answer: ThreadAnswer, notice: string): ThreadAnswer {
  const { exitCode, stdout, stderr, json } = answer;
  if (exitCode !== 0 || (!json && stdout !== "")) return { ...answer, stderr: `hookline: ${notice}\n${stderr}` };
  const wire = json ? (JSON.parse(stdout) as Readonly<Record<string, unknown>>) : {};
  const before = wire["systemMessage"];
  const systemMessage = typeof before === "string" ? `${before}\n${notice}` : notice;
  return { ...answer, json: true, stdout: `${JSON.stringify({ ...wire, systemMessage })}\n` };
}

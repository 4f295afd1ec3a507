import { appFailure, readPayload, withoutAnswer } from "../sdk/index.ts";
import { type Generation, type GenerationOptions, openGeneration } from "./generation.ts";
import type { Interest } from "./interest.ts";
import { type Asked, answerOf, type ThreadAnswer } from "./message.ts";
import { readSources, type Sources, touched } from "./sources.ts";

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

/** `busy`: nobody here can answer now; a client does it by itself. */
export type WarmAnswer = ThreadAnswer | "busy";

export interface WarmOptions extends Omit<GenerationOptions, "sourceHash"> {
  /** Told of what is loaded, and of a failure that the log should have. */
  readonly changed: (sourceHash: string) => void;
}

/** While the newest code does not load it is tried again after this long: a missing import may have come. */
const tryAgainMs = 2_000;

export async function openWarmApp(options: WarmOptions): Promise<WarmApp> {
  let good: Generation | undefined;
  /** Older ones that still have calls, or something to let go of. */
  const leaving = new Set<Generation>();
  let broken: { sources: Sources; message: string; at: number } | undefined;
  let loading: Promise<void> | undefined;

  const load = async () => {
    const sources = await readSources(options.file);
    if (good !== undefined && sources.hash === good.sources.hash) {
      good.sources = sources;
      broken = undefined;
      return;
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
    broken = undefined;
    options.changed(sources.hash);
  };
  const loadOnce = (): Promise<void> => {
    loading ??= load().finally(() => {
      loading = undefined;
    });
    return loading;
  };
  const follow = (): Promise<void> | undefined => {
    if (loading !== undefined && broken === undefined) return loading;
    const known = broken?.sources ?? good?.sources;
    if (known === undefined || touched(known)) return loadOnce();
    // Not waited for: nothing that is known of has changed.
    if (broken !== undefined && performance.now() - broken.at > tryAgainMs) {
      broken = { ...broken, at: performance.now() };
      if (good !== undefined) void loadOnce();
      else return loadOnce();
    }
    return undefined;
  };
  await loadOnce();

  return {
    get sourceHash() {
      return good?.sources.hash ?? "";
    },
    get open() {
      return [...leaving].reduce((sum, { open }) => sum + open, good?.open ?? 0);
    },
    async end() {
      await Promise.all([...leaving, ...(good === undefined ? [] : [good])].map((one) => one.end()));
    },
    async call(asked, interest) {
      const wait = follow();
      if (wait !== undefined) await wait;
      if (good === undefined) return notLoaded(asked, broken?.message ?? `${options.file} is not loaded.`);
      const notice =
        broken === undefined
          ? undefined
          : `The changed hooks file does not load; the last good one still answers. ${broken.message}`;
      const end = await good.call(asked, notice, interest);
      if (end.kind === "busy") return "busy";
      if (end.kind === "without-answer") options.complain(end.why);
      return end.answer;
    },
  };
}

/** As `hookline run` tells it to a client; an http answer has no exit status, so it says it in the event's own words. */
function notLoaded(
  { text, transport, onFailure = "continue" }: Pick<Asked, "text" | "transport" | "onFailure">,
  message: string,
): ThreadAnswer {
  const payload = readPayload(text);
  if (transport === "client" || "fault" in payload) return answerOf(appFailure(message, onFailure));
  return answerOf(withoutAnswer(payload.value, onFailure, message));
}

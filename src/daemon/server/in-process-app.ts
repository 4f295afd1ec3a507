import {
  type AppInside,
  appendLog,
  appFailure,
  type LogRecord,
  openTranscript,
  readPayload,
  type Settled,
  type World,
  withoutExit,
} from "../../sdk/internal.ts";
import { type Asked, answerOf } from "../worker/messages.ts";
import type { WarmApp } from "./warm-app.ts";

/** What an app is lent that runs in this very thread. */
export interface HereOptions extends Pick<World, "env" | "cwd" | "complain"> {
  /** Absolute. */
  readonly file: string | undefined;
  readonly sourceHash: string | undefined;
}

/** An app that a program holds, as the routes ask for one. Nothing ends a handler that holds the thread. */
export function appHere(app: AppInside, options: HereOptions): WarmApp {
  let open = 0;
  const { env, complain, sourceHash } = options;
  const about = (asked: Asked) => ({
    transport: asked.transport,
    ...(sourceHash === undefined ? {} : { source: sourceHash }),
  });
  const limits = typeof app.options.log === "object" ? app.options.log : {};
  /** What is left once the answer is out. */
  const finish = async ({ dispose }: Settled, records: readonly LogRecord[], asked: Asked) => {
    for (const record of records) appendLog({ ...record, ...about(asked) }, env, complain, limits);
    await dispose().catch((error: unknown) => complain(`A provider was not disposed: ${String(error)}`));
    open--;
  };
  return {
    sourceHash: sourceHash ?? "",
    get open() {
      return open;
    },
    end: async () => undefined,
    async call(asked, interest) {
      const payload = readPayload(asked.text);
      if ("fault" in payload) {
        const why = `The event cannot be read: ${payload.fault}.`;
        const said = answerOf(appFailure(why, app.modeFor(undefined, asked.onFailure)));
        return { ...said, unreadable: true };
      }
      const gone = new AbortController();
      interest.whenLost((why) => gone.abort(new Error(why)));
      const records: LogRecord[] = [];
      open++;
      const world = worldOf(asked, app, gone.signal, records, options);
      const settled = await withoutExit(() => app.dispatch(payload.value, world));
      setImmediate(() => void finish(settled, records, asked));
      return answerOf(settled);
    },
  };
}

function worldOf(
  { onFailure }: Asked,
  app: AppInside,
  signal: AbortSignal,
  records: LogRecord[],
  { env, cwd, file, complain }: HereOptions,
): World {
  return {
    env,
    cwd,
    signal,
    replay: false,
    now: Date.now,
    openTranscript,
    complain,
    ...(file === undefined ? {} : { file }),
    ...(app.options.log === false ? {} : { log: (record: LogRecord) => void records.push(record) }),
    ...(onFailure === undefined ? {} : { onFailure }),
  };
}

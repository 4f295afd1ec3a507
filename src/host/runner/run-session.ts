import { randomUUID } from "node:crypto";
import { reviewTrust } from "../../engine/index.ts";
import { start } from "../../exec/index.ts";
import { homeFolder, packageFile } from "../../files/index.ts";
import { guardedObserver } from "../observer.ts";
import { childCommand } from "./child-command.ts";
import { childEnvironment } from "./child-environment.ts";
import { childStream } from "./child-stream.ts";
import { goOnWith } from "./go-on.ts";
import { makeOverlay } from "./overlay.ts";
import { resultOf } from "./result-of.ts";
import { checkCall, type SessionCall } from "./session-call.ts";
import type { SessionResult, SessionWarning } from "./session-result.ts";
import { listenTo } from "./told.ts";
import { callsSince, findTranscript, markTranscript, type NewCalls } from "./transcript-mark.ts";
import { unknownKeys } from "./unknown-keys.ts";

export interface RunnerPorts {
  /** The command line program of this package, which runs its own agent. */
  readonly program?: string;
}

/**
 * Runs one session of an agent as a child and gives its answer, tokens and cost as data. Contract: throws only for a call that cannot be
 * meant; nothing of the child and nothing of ours is left behind, whatever happens.
 */
export async function runSession(
  call: SessionCall,
  { program = packageFile("dist/cli/bin.cjs") }: RunnerPorts = {},
): Promise<SessionResult> {
  checkCall(call);
  const { cwd = process.cwd(), signal, timeoutMs = Number.POSITIVE_INFINITY } = call;
  const given = call.env ?? process.env;
  const env = childEnvironment(given);
  const source = { env: given, home: homeFolder(given) };
  const sessionId = call.resume !== undefined && !call.fork ? call.resume : (call.sessionId ?? randomUUID());
  const [mark, userSettingsOnly] = await Promise.all([markTranscript(call, source), skipsProject(call, cwd, source)]);

  const warnings: SessionWarning[] = userSettingsOnly ? [projectSkipped(cwd)] : [];
  const onEvent = guardedObserver(call.onEvent, (warning) => warnings.push(warning));
  const overlay = await makeOverlay(call.settings ?? {}, source);
  const told = listenTo(overlay, (payload) => onEvent({ kind: "hook", payload }));
  try {
    const stream = childStream((message) => onEvent({ kind: "message", message }));
    const command = childCommand({
      call,
      sessionId,
      settingsFile: overlay.settingsFile,
      userSettingsOnly,
      env,
      program,
    });
    const { done } = start(command, {
      cwd,
      env,
      // Inside another run this one goes with it.
      tag: { name: "HOOKLINE_RUN", value: [env["HOOKLINE_RUN"], randomUUID()].filter(Boolean).join("/") },
      input: call.prompt,
      timeoutMs,
      capBytes: mostOutputBytes,
      onLine: stream.onLine,
      ...(signal === undefined ? {} : { signal }),
    });
    const finished = await done;
    await told.finish();
    const id = stream.sessionId ?? sessionId;
    const said = told.payloads.findLast((payload) => payload["transcript_path"] !== undefined)?.["transcript_path"];
    const transcript = await findTranscript(id, said, source);
    const calls = transcript === undefined ? noCalls : await callsSince(transcript, mark);
    const goOn = goOnWith(id, { ...call, cwd });
    return await resultOf({ id, transcript, calls, finished, stream, told: told.payloads, warnings, goOn });
  } finally {
    await told.finish();
    await overlay.remove();
  }
}

const mostOutputBytes = 64 * 2 ** 20;
const noCalls: NewCalls = { main: [], all: [], whole: async () => [] };

/** The client's headless mode would run a project's hooks without asking; our own agent asks for their approval itself. */
async function skipsProject(
  { agent = "claude", projectSettings }: SessionCall,
  cwd: string,
  source: { env: SessionCall["env"]; home: string },
): Promise<boolean> {
  if (agent === "hookline" || projectSettings) return false;
  const { entries } = await reviewTrust({ cwd, home: source.home, env: { ...source.env } });
  return entries.some(({ state }) => state !== "trusted") || (await unknownKeys(cwd)).length > 0;
}

function projectSkipped(cwd: string): SessionWarning {
  const message = `What ${cwd} sets is not approved, so only user settings were loaded. hookline trust shows and approves what can be; --project-settings loads all of it.`;
  return { code: "project-settings-skipped", message };
}

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { runTag, startProcess } from "../exec/internal.ts";
import { homeFolder, packageFile } from "../files/internal.ts";
import { checkNamed, defined, guardedObserver, mustBe, settingsFields } from "../protocol/internal.ts";
import { childCommand, childEnvironment, childStream } from "./child-agent.ts";
import { collectResult } from "./collect-result.ts";
import { openHookMailbox } from "./hook-mailbox.ts";
import { callsAfter, findTranscript, type RunCalls, transcriptPosition } from "./run-transcript.ts";
import { checkSessionCall, type SessionCall } from "./session-call.ts";
import { resumeCommandsFor, type SessionResult, type SessionWarning } from "./session-result.ts";

/** What a runner can replace, for tests. */
export interface RunnerPorts {
  /** The command line program of this package, which runs its own agent. */
  readonly program?: string;
}

/**
 * Runs one session of an agent as a child process and returns its answer, tokens and cost. Contract: throws only for an invalid call, and
 * when its own files cannot be written; it leaves no process and no file behind, whatever happens.
 */
export async function runSession(call: SessionCall, ports: RunnerPorts = {}): Promise<SessionResult> {
  checkSessionCall(call);
  checkNamed("the ports of runSession", ports, { program: mustBe.text });
  const { program = packageFile("dist/cli/bin.cjs") } = ports;
  const { cwd = process.cwd(), signal, timeoutMs = Number.POSITIVE_INFINITY } = call;
  const given = call.env ?? process.env;
  const env = childEnvironment(given);
  const source = { env: given, home: homeFolder(given) };
  const sessionId = call.resume !== undefined && !call.fork ? call.resume : (call.sessionId ?? randomUUID());
  const [mark, userSettingsOnly] = await Promise.all([
    transcriptPosition(call, source),
    skipsProject(call, cwd, source),
  ]);

  const warnings: SessionWarning[] = userSettingsOnly ? [projectSkipped(cwd)] : [];
  const onEvent = guardedObserver(call.onEvent, (warning) => warnings.push(warning));
  const mailbox = await openHookMailbox(call.settings ?? {}, source, (payload) => onEvent({ kind: "hook", payload }));
  try {
    const stream = childStream((message) => onEvent({ kind: "message", message }));
    const { settingsFile } = mailbox;
    const command = childCommand({ call, sessionId, settingsFile, userSettingsOnly, env, program });
    const { done } = startProcess(command, {
      cwd,
      env,
      // Inside another run, this one ends with it.
      tag: { name: runTag, value: [env[runTag], randomUUID()].filter(Boolean).join("/") },
      input: call.prompt,
      timeoutMs,
      capBytes: maxOutputBytes,
      onLine: stream.onLine,
      ...defined({ signal }),
    });
    const finished = await done;
    await mailbox.finish();
    const { result, texts } = stream;
    const { payloads } = mailbox;
    const id = stream.sessionId ?? sessionId;
    const named = payloads.findLast((payload) => payload["transcript_path"] !== undefined)?.["transcript_path"];
    const transcript = await findTranscript(id, named, source);
    const calls = transcript === undefined ? noCalls : await callsAfter(transcript, mark);
    const hasSession = stream.sessionId !== undefined || payloads.length > 0 || transcript !== undefined;
    const resumeCommands = hasSession ? resumeCommandsFor(id, { ...call, cwd }) : undefined;
    return await collectResult({ id, finished, transcript, calls, result, texts, payloads, warnings, resumeCommands });
  } finally {
    await mailbox.finish();
  }
}

const maxOutputBytes = 64 * 2 ** 20;
const noCalls: RunCalls = { main: [], all: [], whole: async () => [] };

/**
 * Claude Code's headless mode would run a project's hooks without asking; our own agent asks for their approval itself. An approval does
 * not cover all keys of the settings, and some name programs that the agent starts, such as `apiKeyHelper`. A file that cannot be read
 * may have such keys too.
 */
async function skipsProject(
  { agent = "claude", projectSettings }: SessionCall,
  cwd: string,
  source: { env: SessionCall["env"]; home: string },
): Promise<boolean> {
  if (agent === "hookline" || projectSettings) return false;
  const { readValue, reviewTrust } = await import("../engine/internal.ts");
  const { entries } = await reviewTrust({ cwd, home: source.home, env: { ...source.env } });
  if (entries.some(({ state }) => state !== "trusted")) return true;
  const files = ["settings.json", "settings.local.json"].map((name) => readValue(join(cwd, ".claude", name)));
  return (await Promise.all(files)).some((found) => {
    if (found.is !== "read") return found.is === "unreadable";
    return Object.keys(Object(found.value)).some((key) => !Object.hasOwn(settingsFields, key) && !harmless.has(key));
  });
}

function projectSkipped(cwd: string): SessionWarning {
  const message = `The settings of ${cwd} are not approved, so only user settings were loaded. hookline trust shows and approves what can be approved; --project-settings loads all of it.`;
  return { code: "project-settings-skipped", message };
}

/** What only changes how an agent writes or looks. */
const harmless: ReadonlySet<string> = new Set([
  ...["$schema", "model", "language", "outputStyle", "alwaysThinkingEnabled", "cleanupPeriodDays", "respectGitignore"],
  ...["includeCoAuthoredBy", "attribution", "spinnerTipsEnabled", "companyAnnouncements"],
  // The servers themselves are approved one by one.
  ...["mcpServers", "enableAllProjectMcpServers", "enabledMcpjsonServers", "disabledMcpjsonServers"],
]);

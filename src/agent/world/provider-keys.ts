import { providerKeys } from "../../models/internal.ts";
import type { AgentOptions } from "../agent-options.ts";
import type { AgentSession } from "../session/agent-session.ts";
import { noticeOnce } from "../turn/channels.ts";
import { readSettingsFiles } from "./agent-settings.ts";

/**
 * The environment of tools and hooks, without the keys of model providers: they need none of them, and the model and the transcript get
 * what a command prints. `passEnv` in user, managed or `--settings` settings names keys that are passed on; that of a checkout is ignored.
 */
export async function stripProviderKeys(options: AgentOptions, warn: (text: string) => void) {
  const passed = await passedNames(options, warn);
  const keys = providerKeys.filter((name) => !passed.has(name));
  const removed = keys.filter((name) => (options.env[name] ?? "") !== "");
  const env: AgentOptions["env"] = Object.fromEntries(
    Object.entries(options.env).filter(([name]) => !keys.includes(name)),
  );
  return { env, removed };
}

async function passedNames(options: AgentOptions, warn: (text: string) => void): Promise<ReadonlySet<string>> {
  const passed = new Set<string>();
  for (const { file, ofCheckout, value } of await readSettingsFiles(options)) {
    const { passEnv } = value;
    if (passEnv === undefined) continue;
    if (!Array.isArray(passEnv) || passEnv.some((name) => typeof name !== "string"))
      warn(`${file}: "passEnv" must be a list of variable names; it is ignored.`);
    else if (ofCheckout)
      warn(`${file}: "passEnv" is ignored, because a project may not choose which keys tools and hooks get.`);
    else for (const name of passEnv as readonly string[]) passed.add(name);
  }
  return passed;
}

/**
 * Reports, once per session, that a failed command or hook may have needed a key that it did not get: its text names the key, or looks
 * like a missing login.
 */
export function noticeMissingKey(session: AgentSession, failed: string): string | undefined {
  const { removedKeys } = session;
  const named = removedKeys.filter((name) => failed.includes(name));
  const keys = named.length === 0 && looksLikeMissingLogin.test(failed) ? removedKeys : named;
  if (keys.length === 0) return undefined;
  const verb = keys.length === 1 ? "is" : "are";
  const text = `${keys.join(" and ")} ${verb} not passed to tools and hooks. If it is needed, add it to "passEnv" in your user settings.`;
  noticeOnce(session, text);
  return text;
}

const looksLikeMissingLogin =
  /\bapi[_ -]?key\b|authentication (?:method|failed|error|required)|\bunauthori[sz]ed\b|not logged in|\b401\b/i;

import { providerKeys } from "../../models/internal.ts";
import type { AgentOptions } from "../agent-options.ts";
import type { AgentSession } from "../session/agent-session.ts";
import { noticeOnce } from "../turn/channels.ts";
import { readSettingsFiles } from "./agent-settings.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of tools and hooks, and the names of the keys that were taken out of it. */
export interface KeylessEnvironment {
  readonly env: Environment;
  readonly removed: readonly string[];
}

/**
 * The environment without the keys of model providers: a tool call or a hook needs none of them, and what a command prints goes to the
 * model and into the transcript. `passEnv` in user, managed or `--settings` settings names those that are passed on; a checkout's list
 * does not count.
 */
export async function stripProviderKeys(
  options: AgentOptions,
  tell: (text: string) => void,
): Promise<KeylessEnvironment> {
  const passed = await passedNames(options, tell);
  const keys = providerKeys.filter((name) => !passed.has(name));
  const removed = keys.filter((name) => (options.env[name] ?? "") !== "");
  const env = Object.fromEntries(Object.entries(options.env).filter(([name]) => !keys.includes(name)));
  return { env, removed };
}

async function passedNames(options: AgentOptions, tell: (text: string) => void): Promise<ReadonlySet<string>> {
  const passed = new Set<string>();
  for (const { file, ofCheckout, value } of await readSettingsFiles(options)) {
    const { passEnv } = value;
    if (passEnv === undefined) continue;
    if (!Array.isArray(passEnv) || passEnv.some((name) => typeof name !== "string"))
      tell(`${file}: "passEnv" must be a list of variable names; it is ignored.`);
    else if (ofCheckout)
      tell(`${file}: "passEnv" is ignored, because a project may not choose which keys tools and hooks get.`);
    else for (const name of passEnv as readonly string[]) passed.add(name);
  }
  return passed;
}

/**
 * Reports, once per session, that a command or a hook which failed may have needed a key that it did not get: it names the key, or its
 * output reads like a missing login.
 */
export function noticeMissingKey(session: AgentSession, failed: string): string | undefined {
  const { removedKeys } = session;
  if (removedKeys.length === 0) return undefined;
  const named = removedKeys.filter((name) => failed.includes(name));
  if (named.length === 0 && !looksLikeMissingLogin.test(failed)) return undefined;
  const names = (named.length === 0 ? removedKeys : named).join(" and ");
  const verb = (named.length === 0 ? removedKeys : named).length === 1 ? "is" : "are";
  const text = `${names} ${verb} not passed to tools and hooks. If it is needed, add it to "passEnv" in your user settings.`;
  noticeOnce(session, text);
  return text;
}

const looksLikeMissingLogin =
  /\bapi[_ -]?key\b|authentication (?:method|failed|error|required)|\bunauthori[sz]ed\b|not logged in|\b401\b/i;

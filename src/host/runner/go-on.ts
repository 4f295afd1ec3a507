import type { SessionCall } from "./session-call.ts";
import type { GoOn } from "./session-result.ts";

/**
 * The commands that continue a session, and a copy of it. They name what the session needs to be found and answered again: its agent,
 * its folder and its model. An agent with arguments of its own has no form on the command line, so its call is shown instead.
 */
export function goOnWith(sessionId: string, call: Pick<SessionCall, "agent" | "cwd" | "model">): GoOn {
  const { agent = "claude", cwd, model } = call;
  const command = (fork: boolean): string => {
    if (typeof agent === "object" && (agent.args ?? []).length > 0)
      return `runSession(${JSON.stringify({ agent, resume: sessionId, ...(fork ? { fork } : {}), cwd, model, prompt: "…" })})`;
    const name = typeof agent === "string" ? agent : agent.file;
    return [
      `hookline ask --resume ${sessionId}`,
      ...(fork ? ["--fork"] : []),
      ...(name === "claude" ? [] : [`--agent ${quoted(name)}`]),
      ...(cwd === undefined || cwd === process.cwd() ? [] : [`--cwd ${quoted(cwd)}`]),
      ...(model === undefined ? [] : [`--model ${quoted(model)}`]),
      '"…"',
    ].join(" ");
  };
  return { resume: command(false), fork: command(true) };
}

/** One word for a shell. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

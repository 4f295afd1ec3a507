import { readPayload } from "../../sdk/internal.ts";
import type { ThreadAnswer } from "../worker/messages.ts";

/** What every session should hear once, put into the first answer that has room for it. */
export interface Notices {
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

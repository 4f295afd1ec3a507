import type { ChildProcess } from "node:child_process";

/** Answers the permission questions of Claude Code. */
export interface ScriptedUser {
  /** How long the answer takes. A hook that decides in the meantime makes Claude Code withdraw its question. */
  readonly afterMs: number;
  answer(question: PermissionQuestion): object;
  /** How long the conversation stays open after the result; without it Claude Code ends at once and may not wait for hooks. */
  readonly staysMs?: number;
}

export interface PermissionQuestion {
  readonly tool_name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface PutQuestion {
  readonly question: PermissionQuestion;
  /** False when Claude Code withdrew it before the answer. */
  readonly answered: boolean;
}

export interface Conversation {
  readonly prompt?: string;
  readonly user?: ScriptedUser;
  readonly timeoutMs?: number;
}

export interface Ended {
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly stdout: string;
  readonly stderr: string;
  readonly questions: readonly PutQuestion[];
}

/**
 * Talks with a client that was just started until it ends.
 * Resolves soon after the deadline at the latest; the process group of Claude Code has ended by then.
 */
export function converse(child: ChildProcess, conversation: Conversation): Promise<Ended> {
  return new Promise((resolve, reject) => {
    let stdout = "";
    let stderr = "";
    let timedOut = false;
    const open = conversation.user && openQuestions(child, conversation.user);
    const deadline = setTimeout(() => {
      timedOut = true;
      endGroup(child);
    }, conversation.timeoutMs ?? 60_000);
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      const lineStart = stdout.lastIndexOf("\n") + 1;
      stdout += text;
      for (const line of stdout.slice(lineStart, stdout.lastIndexOf("\n") + 1).split("\n")) open?.hear(line);
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    // Claude Code may end before it has read everything; its exit says what matters.
    child.stdin?.on("error", () => child.stdin?.destroy());
    child.on("error", reject);
    child.on("close", (exitCode) => {
      clearTimeout(deadline);
      endGroup(child);
      resolve({ exitCode, timedOut, stdout, stderr, questions: open?.close() ?? [] });
    });
    if (open) say(child, { type: "user", message: { role: "user", content: conversation.prompt ?? "" } });
    else child.stdin?.end();
  });
}

interface OpenQuestions {
  hear(line: string): void;
  close(): PutQuestion[];
}

/** Answers each question after its delay, unless it is withdrawn. */
function openQuestions(child: ChildProcess, user: ScriptedUser): OpenQuestions {
  const asked: { question: PermissionQuestion; answered: boolean }[] = [];
  const waiting = new Map<string, NodeJS.Timeout>();
  let leaving: NodeJS.Timeout | undefined;
  const ask = (id: string, question: PermissionQuestion): void => {
    const entry = { question, answered: false };
    asked.push(entry);
    const reply = (): void => {
      entry.answered = true;
      const response = { subtype: "success", request_id: id, response: user.answer(question) };
      say(child, { type: "control_response", response });
    };
    waiting.set(id, setTimeout(reply, user.afterMs));
  };
  return {
    hear(line) {
      if (!line.startsWith("{")) return;
      const message = JSON.parse(line) as { type: string; request_id?: string; request?: PermissionQuestion };
      if (message.type === "result") leaving = setTimeout(() => child.stdin?.end(), user.staysMs ?? 0);
      if (message.type === "control_cancel_request") clearTimeout(waiting.get(message.request_id ?? ""));
      if (message.type === "control_request" && message.request) ask(message.request_id ?? "", message.request);
    },
    close() {
      clearTimeout(leaving);
      for (const timer of waiting.values()) clearTimeout(timer);
      return asked;
    },
  };
}

function say(child: ChildProcess, line: object): void {
  child.stdin?.write(`${JSON.stringify(line)}\n`);
}

/** Claude Code leads its own group. A background task that outlived it must not outlive the test. */
function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    // ESRCH: the group has already ended, as intended.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

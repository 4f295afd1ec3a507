import { stripControl } from "../../protocol/index.ts";
import type { HookRun } from "../fire.ts";
import { noAnswer, type ReadAnswer } from "./verdict.ts";

/** Plain stdout of a hook that ended well, by the event's row. */
export function textAnswer(stdout: string, run: HookRun): ReadAnswer {
  const text = stdout.trim();
  const { row } = run.event;
  // A worktree hook answers by its text, so silence is a failure there.
  if (row.onText === "path") return { answer: pathAnswer(text, run), warnings: [] };
  if (text === "") return { answer: noAnswer, warnings: [] };
  if (row.onText === "context") return { answer: { ...noAnswer, context: [text] }, warnings: [] };
  if (row.onText === "message") return { answer: { ...noAnswer, messages: [text] }, warnings: [] };
  if (row.onText === "instructions")
    return { answer: { ...noAnswer, output: { customInstructions: text } }, warnings: [] };
  return { answer: noAnswer, warnings: [] };
}

function pathAnswer(text: string, { hook: { ref } }: HookRun) {
  const path =
    ref.type === "command"
      ? stripControl(text)
          .split("\n")
          .map((line) => line.trim())
          .filter(Boolean)
          .at(-1)
      : undefined;
  return path === undefined ? noAnswer : { ...noAnswer, output: { worktreePath: path } };
}

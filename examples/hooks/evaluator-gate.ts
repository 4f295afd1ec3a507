// Lets a second agent judge the work before the first may stop. The second one has these hooks too: it is let through.
// app.include(evaluatorGate({ rubric: "Every new function has a test.", command: ["claude", "-p"] }));
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { type Blueprint, block, blueprint } from "hookline/sdk";

export interface EvaluatorGateOptions {
  readonly rubric?: string;
  /** A program that reads a prompt on standard input and prints its answer. No shell reads the words. */
  readonly command?: readonly [program: string, ...words: string[]];
  /** How often it sends back in one turn. */
  readonly rounds?: number;
  readonly timeoutMs?: number;
}

const guard = "HOOKLINE_EVALUATOR_GATE";

export function evaluatorGate(options: EvaluatorGateOptions = {}): Blueprint {
  const types = { rubric: "string", command: "string[]", rounds: "number", timeoutMs: "number" } as const;
  const part = blueprint("evaluator-gate", options, types);
  const { rubric = "The task is done, and nothing else was changed.", command = ["claude", "-p"] } = options;
  const { rounds = 2, timeoutMs = 180_000 } = options;
  // The evaluator stops as well; without this it would be evaluated, and so on.
  const when = (_: unknown, { env, replay }: { env: Readonly<Record<string, string | undefined>>; replay: boolean }) =>
    !env[guard] && !replay;
  part.onStop(
    { name: "evaluator-gate", when, timeoutMs },
    async ({ lastAssistantMessage, stopHookActive, promptId = "" }, { state, cwd, env, signal }) => {
      // Rounds of an earlier turn do not count, even if another gate made the agent continue in this one.
      const last: { sent: number; promptId: string } | undefined = await state.get("last");
      const sent = stopHookActive && last?.promptId === promptId ? last.sent : 0;
      if (sent >= rounds) return undefined;
      const prompt = [
        "Judge the work in this folder. Change nothing.",
        `What must hold: ${rubric}`,
        `What was said about it: ${lastAssistantMessage ?? "nothing"}`,
        "End with one line: PASS, or FAIL: and what is missing.",
      ];
      const [program, ...words] = command;
      const child = spawn(program, words, {
        cwd,
        env: { ...env, [guard]: "1" },
        signal,
        stdio: ["pipe", "pipe", "ignore"],
      });
      child.stdin.on("error", () => undefined).end(prompt.join("\n"));
      const gone = new Promise<never>((_, fail) => child.once("error", fail));
      const said = await Promise.race([text(child.stdout), gone]);
      const [, verdict, missing] = /(?:^|\n)(PASS|FAIL)\b:?[ \t]*([^\n]*)$/.exec(said.trim()) ?? [];
      // A broken gate reports an error instead of silently letting everything through.
      if (verdict === undefined) throw new Error(`${program} gave no verdict`);
      if (verdict === "PASS") return undefined;
      await state.set("last", { sent: sent + 1, promptId });
      return block(`Another agent looked at it and says: ${missing || "it is not done"}`);
    },
  );
  return part;
}

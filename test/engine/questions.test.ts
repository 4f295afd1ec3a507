import { readdirSync } from "node:fs";
import { expect, test, vi } from "vitest";
import type { Asker, Question } from "../../src/engine/internal.ts";
import { until } from "../until.ts";
import { command, on, openIn } from "./world.ts";

const line = (id: string) =>
  JSON.stringify({
    prompt: id,
    message: `Which ${id}?`,
    options: [
      { key: "a", label: "This" },
      { key: "b", label: "That", description: "the other" },
    ],
  });

/** Asks, then says which answer it got as its reason. */
const asks = (id: string) =>
  command(`read -r payload; echo '${line(id)}'; touch asked.$$; read -r answer; echo "$answer" >&2; exit 2`, {
    interactive: true,
  });
const call = { tool_name: "Bash", tool_input: { command: "rm -r x\ny" } };

test("a hook can ask while it runs, and gets the answer on stdin", async () => {
  const questions: Question[] = [];
  const asker: Asker = async (question) => {
    questions.push(question);
    return "b";
  };
  const { engine } = await openIn(on("PreToolUse", asks("branch")), { ports: { asker } });
  const outcome = await engine.fire("PreToolUse", call);
  expect(outcome.reason).toBe('{"prompt_response":"branch","selected":"b"}');
  expect(outcome.runs[0]?.stdout).toBe("");
  expect(questions).toMatchObject([
    {
      id: "branch",
      message: "Which branch?",
      options: [{ key: "a" }, { key: "b", description: "the other" }],
      hook: { event: "PreToolUse" },
    },
  ]);
  expect(questions[0]?.summary).toContain("Bash");
  expect(questions[0]?.summary).not.toContain("\n");
});

test("questions of all hooks are put one at a time, and each answer goes to its asker", async () => {
  let open = 0;
  const most: number[] = [];
  const asker: Asker = async ({ id }) => {
    most.push(++open);
    // Answered only when every hook has asked.
    await until("all have asked", () => readdirSync(project).filter((name) => name.startsWith("asked")).length === 6);
    open--;
    return `answer to ${id}`;
  };
  const { engine, project } = await openIn(on("PreToolUse", asks("one"), asks("two"), asks("three")), {
    ports: { asker },
  });
  const [first, second] = await Promise.all([engine.fire("PreToolUse", call), engine.fire("PreToolUse", call)]);
  expect(most).toEqual([1, 1, 1, 1, 1, 1]);
  for (const { runs } of [first, second]) {
    expect(runs.map(({ stderr }) => JSON.parse(stderr).selected)).toEqual([
      "answer to one",
      "answer to two",
      "answer to three",
    ]);
  }
});

test("a hook's clock stops while a question is open", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const asker: Asker = async () => {
    await vi.advanceTimersByTimeAsync(1_500);
    return "a";
  };
  const { engine } = await openIn(on("PreToolUse", { ...asks("branch"), timeout: 1 }), { ports: { asker } });
  const outcome = await engine.fire("PreToolUse", call);
  expect(outcome.reason).toBe('{"prompt_response":"branch","selected":"a"}');
});

test("without a port, on refusal and when the port fails, the reply is cancelled and stdin closes", async () => {
  const hook = command(`read -r payload; echo '${line("branch")}'; cat >&2; exit 2`, { interactive: true });
  const ports = [
    {},
    { asker: async () => undefined },
    {
      asker: async () => {
        throw new Error("no screen");
      },
    },
  ];
  for (const port of ports) {
    const { engine } = await openIn(on("PreToolUse", hook), { ports: port });
    expect((await engine.fire("PreToolUse", call)).reason).toBe('{"prompt_response":"branch","cancelled":true}');
  }
});

test("a line that is not a question is output, also for an interactive hook", async () => {
  const hook = command(`read -r payload; echo '{"prompt":"x"}'; echo done`, { interactive: true });
  const { engine } = await openIn(on("UserPromptSubmit", hook), { ports: { asker: async () => "a" } });
  const outcome = await engine.fire("UserPromptSubmit", { prompt: "hello" });
  expect(outcome.runs[0]?.stdout).toBe('{"prompt":"x"}\ndone\n');
});

test("from a hook without interactive a question is ordinary output, with a warning", async () => {
  const { engine } = await openIn(on("PreToolUse", `echo '${line("branch")}'`), {
    ports: { asker: async () => "a" },
  });
  const outcome = await engine.fire("PreToolUse", call);
  expect(outcome.runs[0]?.stdout).toBe(`${line("branch")}\n`);
  expect(outcome.warnings.map(({ code }) => code)).toContain("question-without-interactive");
});

test("an abort while the user decides ends the hook", async () => {
  const abort = new AbortController();
  const asker: Asker = (_, signal) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
      setImmediate(() => abort.abort(new Error("enough")));
    });
  const { engine } = await openIn(on("PreToolUse", asks("branch")), { ports: { asker } });
  await expect(engine.fire("PreToolUse", call, { signal: abort.signal })).rejects.toThrow("enough");
});

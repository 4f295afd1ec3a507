import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { until } from "../../../test/until.ts";
import { makeWorld, type World, type WorldOptions } from "../fixtures/agent-run.ts";

let world: World | undefined;
afterEach(() => world?.remove());

function open(options: WorldOptions = {}): World {
  world = makeWorld(options);
  return world;
}

const allow = { permissions: { allow: ["Bash"] } };

describe("the end of a turn", () => {
  test("a blocked Stop continues with the reason as feedback; the next one has stop_hook_active", async () => {
    const { run, payloads, transcript } = open({
      hooks: {
        Stop: { run: `test -e once && exit 0; touch once; echo '{"decision":"block","reason":"REASON-MARK"}'` },
      },
    });
    const { result, requests } = await run([{ text: "a" }, { text: "b" }], { prompt: "go" });
    expect(result).toMatchObject({ result: "b", terminal_reason: "completed" });
    expect(requests[1]?.messages.at(-1)).toEqual({ role: "user", content: "Stop hook feedback:\nREASON-MARK" });
    expect(payloads("Stop").map((payload) => [payload["stop_hook_active"], payload["last_assistant_message"]])).toEqual(
      [
        [false, "a"],
        [true, "b"],
      ],
    );
    const lines = transcript(result.session_id);
    expect(lines.find((line) => line["isMeta"] === true)).toMatchObject({
      message: { content: "Stop hook feedback:\nREASON-MARK" },
    });
    expect(lines.flatMap((line) => (line["attachment"] as { type?: string } | undefined)?.type ?? [])).toEqual([
      "hook_blocking_error",
    ]);
  });

  test("after eight blocks the turn ends with a message to the user, in the transcript and in the result", async () => {
    const { run, payloads, transcript } = open({ hooks: { Stop: { stderr: "more", exit: 2 } } });
    const { result, events } = await run([{ times: 9, text: "again" }], { prompt: "go" });
    expect(payloads("Stop")).toHaveLength(9);
    expect(result).toMatchObject({ terminal_reason: "stop_hook_cap", result: "", is_error: false });
    expect(events.filter((event) => event.kind === "warning" && event.warning.code === "stop-cap")).toHaveLength(1);
    expect(events.some((event) => event.kind === "notice" && /8|eight/.test(event.text))).toBe(false);
    expect(transcript(result.session_id).filter((line) => line["subtype"] === "informational")).toHaveLength(1);
  });

  test("context at Stop continues without being an error; continue: false ends it whatever other hooks answer", async () => {
    const first = open({
      hooks: {
        Stop: {
          run: `test -e once && exit 0; touch once; echo '{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"one more thing"}}'`,
        },
      },
    });
    const { requests } = await first.run([{ text: "a" }, { text: "b" }], { prompt: "go" });
    expect(JSON.stringify(requests[1]?.messages.at(-1))).toContain("Stop hook additional context: one more thing");
    first.remove();
    const { run } = open({
      hooks: { Stop: { print: { continue: false, stopReason: "lunch", decision: "block", reason: "no" } } },
    });
    const { result } = await run([{ text: "a" }], { prompt: "go" });
    expect(result).toMatchObject({ terminal_reason: "stop_hook_prevented", result: "", hook_reason: "lunch" });
  });

  test.each([
    [400, "something", "unknown"],
    [400, "prompt is too long: 300000 tokens > 200000 maximum", "invalid_request"],
    [400, "Your credit balance is too low", "billing_error"],
    [401, "no", "authentication_failed"],
    [404, "no such model", "model_not_found"],
    [429, "slow down", "rate_limit"],
    [529, "Overloaded", "server_error"],
  ])("status %i (%s) is StopFailure %s, and the run ends with 1", async (status, message, error) => {
    const { run, payloads, transcript } = open({ hooks: { Stop: {}, StopFailure: {} } });
    const { result } = await run([{ error: { status, message } }], { prompt: "go" });
    await expect.poll(() => payloads("StopFailure").length).toBe(1);
    expect(payloads("StopFailure")[0]).toMatchObject({
      error,
      last_assistant_message: `API Error: ${status} ${message}`,
    });
    expect(payloads("Stop")).toEqual([]);
    expect(result).toMatchObject({
      is_error: true,
      subtype: "success",
      api_error_status: status,
      terminal_reason: "api_error",
    });
    expect(transcript(result.session_id).find((line) => line["isApiErrorMessage"] === true)).toMatchObject({
      error,
      apiErrorStatus: status,
      message: { model: "<synthetic>" },
    });
  });

  test("an answer that is cut four times is max_output_tokens; a refusal is invalid_request", async () => {
    const first = open({ hooks: { StopFailure: {} } });
    const cut = await first.run([{ times: 4, text: "long", stopReason: "max_tokens" }], { prompt: "go" });
    expect(cut.result).toMatchObject({ is_error: true, terminal_reason: "api_error" });
    await expect.poll(() => first.payloads("StopFailure").map(({ error }) => error)).toEqual(["max_output_tokens"]);
    first.remove();
    const second = open({ hooks: { StopFailure: {} } });
    await second.run([{ text: "I will not.", stopReason: "refusal" }], { prompt: "go" });
    await expect.poll(() => second.payloads("StopFailure").map(({ error }) => error)).toEqual(["invalid_request"]);
  });

  test("an interrupt ends the turn without Stop; the tool's hooks run; background subagents are killed", async () => {
    const { run, payloads, transcript, project } = open({
      settings: allow,
      hooks: { Stop: {}, PostToolUseFailure: {}, PostToolUse: {} },
    });
    const { result } = await run([{ calls: [{ tool: "Bash", input: { command: "touch started; sleep 600" } }] }], {
      onReady: (given) => {
        given.prompt("go");
        given.end();
        void until("the command runs", () => existsSync(join(project, "started"))).then(() => given.interrupt());
      },
    });
    expect(result).toMatchObject({ terminal_reason: "interrupted", subtype: "error_during_execution" });
    expect(payloads("PostToolUseFailure")[0]).toMatchObject({ is_interrupt: true });
    expect(payloads("Stop")).toEqual([]);
    expect(JSON.stringify(transcript(result.session_id).at(-2))).toContain("[Request interrupted by user]");
  });

  test("an interrupt before the turn begins ends the prompt that waits; it does not run, and the next one does", async () => {
    const { run, payloads } = open({ hooks: { UserPromptSubmit: {} } });
    const { events } = await run([{ text: "done" }], {
      onReady: (control) => {
        control.prompt("first");
        control.prompt("second");
        control.interrupt();
        control.end();
      },
    });
    const results = events.flatMap((event) => (event.kind === "result" ? [event.result.terminal_reason] : []));
    expect(results).toEqual(["interrupted", "completed"]);
    expect(payloads("UserPromptSubmit").map(({ prompt }) => prompt)).toEqual(["second"]);
  });

  test.each([0, 1, 2, 3, 4, 5, 8])(
    "an interrupt %i microtasks after two prompts ends the first; the second runs",
    async (microtasks) => {
      const { run, payloads, store } = open({ hooks: { UserPromptSubmit: {} } });
      const status = () => JSON.parse(readFileSync(join(store, "sessions", `${process.pid}.json`), "utf8")).status;
      let isAnswered = false;
      const { events } = await run([{ text: "ready" }, { text: "done" }], {
        onReady: async (control) => {
          control.prompt("begin");
          void until("the session is idle", () => isAnswered && status() === "idle").then(async () => {
            control.prompt("first");
            control.prompt("second");
            for (let count = 0; count < microtasks; count += 1) await null;
            control.interrupt();
            control.end();
          });
        },
        observe: (event) => {
          isAnswered ||= event.kind === "result";
        },
      });
      const results = events.flatMap((event) => (event.kind === "result" ? [event.result.terminal_reason] : []));
      expect(results).toEqual(["completed", "interrupted", "completed"]);
      expect(payloads("UserPromptSubmit").map(({ prompt }) => prompt)).toEqual(["begin", "second"]);
    },
  );

  test("an interrupt during SessionStart ends the prompt of the run", async () => {
    const { run } = open({ hooks: {} });
    const { result, requests } = await run([], {
      prompt: "go",
      onReady: (control) => {
        control.on("SessionStart", undefined, async () => control.interrupt());
      },
    });
    expect([result.terminal_reason, requests]).toEqual(["interrupted", []]);
  });

  test("an interrupt during SessionStart ends the first prompt of a hook, which comes later", async () => {
    const { run } = open({
      hooks: {
        SessionStart: { print: { hookSpecificOutput: { hookEventName: "SessionStart", initialUserMessage: "x" } } },
      },
    });
    const results: string[] = [];
    const { requests } = await run([], {
      onReady(control) {
        control.on("SessionStart", undefined, async () => control.interrupt());
        control.end();
      },
      observe: (event) => event.kind === "result" && results.push(event.result.terminal_reason),
    });
    expect([results, requests]).toEqual([["interrupted"], []]);
  });
});

test("a headless run waits for a command in the background, and the model gets its end", async () => {
  const { run, project } = open({ hooks: {}, settings: allow });
  const command = "until [ -e go ]; do sleep 0.02; done; exit 3";
  const call = { tool: "Bash", input: { command, run_in_background: true } };
  let answers = 0;
  const { result, requests } = await run([{ calls: [call] }, { text: "Started." }, { text: "It failed." }], {
    prompt: "go",
    observe: (event) => {
      if (event.kind === "assistant" && ++answers === 2) writeFileSync(join(project, "go"), "");
    },
  });
  expect(result).toMatchObject({ result: "It failed.", num_turns: 3 });
  expect(JSON.stringify(requests[2]?.messages.at(-1))).toContain("failed (exit code 3)");
});

test("a command in the background that does not end is not waited for beyond the limit, and its end is reported", async () => {
  const { run, env } = open({ hooks: {}, settings: allow });
  const call = { tool: "Bash", input: { command: "sleep 65", run_in_background: true } };
  const { result, events } = await run([{ calls: [call] }, { text: "Started." }], {
    prompt: "go",
    env: { ...env, CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS: "300" },
  });
  expect(result).toMatchObject({ result: "Started.", is_error: false });
  expect(events).toContainEqual(
    expect.objectContaining({
      kind: "notice",
      text: "A background command was still running and was terminated: sleep 65",
    }),
  );
});

test("the answer of a background hook reaches the model before its next call, and again after a resume", async () => {
  const print = {
    hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "CTX-MARK" },
    systemMessage: "SYS-MARK",
  };
  const { run, transcript } = open({
    settings: allow,
    hooks: { PostToolUse: { matcher: "Bash", run: "echo $$ > hook.pid", print, hook: { async: true } } },
  });
  const calls = (command: string) => ({ calls: [{ tool: "Bash", input: { command } }] });
  const hookHasEnded = "until [ -s hook.pid ] && ! kill -0 $(cat hook.pid); do sleep 0.02; done 2>/dev/null";
  const { result, requests } = await run([calls("true"), calls(hookHasEnded), { text: "done" }], { prompt: "go" });
  expect(JSON.stringify(requests[2]?.messages)).toMatch(/CTX-MARK[\s\S]*SYS-MARK/);
  const note = transcript(result.session_id)
    .map((line) => line["attachment"] as { type?: string } | undefined)
    .find((one) => one?.type === "async_hook_response");
  expect(note).toMatchObject({
    hookName: "PostToolUse:Bash",
    hookEvent: "PostToolUse",
    response: { hookSpecificOutput: { hookEventName: "PostToolUse" } },
  });
  const again = await run([{ text: "x" }], { prompt: "more", resume: result.session_id });
  expect(JSON.stringify(again.requests[0]?.messages)).toContain("CTX-MARK");
});

describe("an unusable answer", () => {
  const call = { tool: "Bash", input: { command: "touch made" } };

  test("an empty answer is asked for once more, and counts as a turn", async () => {
    const { run, payloads, transcript } = open({ hooks: { Stop: {} } });
    const { result, requests } = await run([{ stopReason: "end_turn" }, { text: "here I am" }], { prompt: "go" });
    expect(result).toMatchObject({ result: "here I am", num_turns: 2, is_error: false });
    expect(JSON.stringify(requests[1]?.messages)).toContain("Your last answer had no text");
    expect(payloads("Stop")).toHaveLength(1);
    expect(JSON.stringify(transcript(result.session_id))).toContain("Your last answer had no text");
  });

  test("a second empty answer ends the turn", async () => {
    const { run } = open();
    const { result, requests } = await run([{ thinking: "hm" }, { text: " " }], { prompt: "go" });
    expect(result).toMatchObject({ subtype: "success", terminal_reason: "completed" });
    expect(requests).toHaveLength(2);
  });

  const ends: readonly [string, object, object][] = [
    ["refuses", { stopReason: "refusal" }, {}],
    ["goes over the budget", { usage: { input: 1_000_000 } }, { maxBudgetUsd: 0.01 }],
  ];
  test.each(ends)(
    "calls of an answer that %s are not run, and the conversation can continue",
    async (_, answer, more) => {
      const { run, project } = open({ settings: allow });
      const script = { model: "claude-opus-4-8", answers: [{ text: "x", calls: [call], ...answer }] };
      const first = await run(script, { prompt: "go", ...more });
      expect(first.result.is_error).toBe(true);
      expect(existsSync(join(project, "made"))).toBe(false);
      const second = await run([{ text: "resuming" }], { prompt: "and now?", resume: first.result.session_id });
      expect(second.result.result).toBe("resuming");
    },
  );

  test("a refused answer with calls does not break the next turn of the same process", async () => {
    const { run } = open({ settings: allow });
    const { result, complaints } = await run(
      [{ text: "x", calls: [call], stopReason: "refusal" }, { text: "resuming" }],
      {
        onReady: (control) => {
          control.prompt("go");
          control.prompt("and now?");
          control.end();
        },
      },
    );
    expect(result.result).toBe("resuming");
    expect(complaints).toEqual([]);
  });
});

describe("limits", () => {
  test("--max-turns and --max-budget-usd end the run with their own subtype", async () => {
    const first = open({ settings: allow });
    const calls = [{ tool: "Bash", input: { command: "true" } }];
    const turns = await first.run([{ times: 2, calls }], { prompt: "go", maxTurns: 2 });
    expect(turns.result).toMatchObject({ subtype: "error_max_turns", is_error: true, terminal_reason: "max_turns" });
    first.remove();
    const second = open({ settings: allow });
    const money = await second.run(
      { model: "claude-opus-4-8", answers: [{ calls, usage: { input: 1_000_000 } }] },
      { prompt: "go", maxBudgetUsd: 0.01 },
    );
    expect(money.result).toMatchObject({ subtype: "error_max_budget_usd", is_error: true });
    expect(money.result.total_cost_usd).toBeGreaterThan(1);
  });

  test("unpriced models are named, not counted as zero", async () => {
    const { run } = open();
    const { result } = await run(
      { model: "nobody-knows", answers: [{ text: "x", usage: { input: 10, output: 5 } }] },
      { prompt: "go" },
    );
    expect(result).toMatchObject({
      unpriced_models: ["nobody-knows"],
      modelUsage: { "nobody-knows": { inputTokens: 10, outputTokens: 5, costUSD: null } },
      usage: { input_tokens: 10, output_tokens: 5 },
    });
  });
});

describe("compaction", () => {
  const summary = {
    when: { purpose: "compaction" as const },
    text: "<analysis>a</analysis><summary>SUMMARY TEXT</summary>",
  };

  test("an automatic compaction fires its events in order, keeps the last exchange, and puts hook text into the instructions", async () => {
    const { run, payloads, transcript } = open({
      settings: allow,
      hooks: {
        PreCompact: { print: "keep the MARK" },
        SubagentStop: {},
        SessionStart: { matcher: "compact", print: "after compaction" },
        PostCompact: {},
        Stop: {},
      },
    });
    const { result, requests } = await run(
      [{ calls: [{ tool: "Bash", input: { command: "echo one" } }], usage: { input: 900 } }, summary, { text: "done" }],
      { prompt: "go", compactAt: 500 },
    );
    expect(result.result).toBe("done");
    expect(payloads().map((payload) => payload["hook_event_name"])).toEqual([
      "PreCompact",
      "SubagentStop",
      "SessionStart",
      "PostCompact",
      "Stop",
    ]);
    expect(payloads("PreCompact")[0]).toMatchObject({ trigger: "auto", custom_instructions: null });
    expect(payloads("SubagentStop")[0]).toMatchObject({ agent_type: "" });
    expect(payloads("PostCompact")[0]).toMatchObject({ trigger: "auto", compact_summary: summary.text });
    expect(JSON.stringify(requests[1]?.messages.at(-1))).toContain("keep the MARK");
    const sent = JSON.stringify(requests[2]?.messages);
    expect(sent).toContain("Summary:\\nSUMMARY TEXT");
    expect(sent).toContain("echo one");
    expect(sent).toContain("SessionStart:compact hook success: after compaction");
    expect(sent).not.toContain('"go"');
    const lines = transcript(result.session_id);
    const boundary = lines.find((line) => line["subtype"] === "compact_boundary");
    expect(boundary).toMatchObject({
      parentUuid: null,
      compactMetadata: {
        trigger: "auto",
        preTokens: expect.any(Number),
        postTokens: expect.any(Number),
        preservedMessages: { uuids: [expect.any(String), expect.any(String)] },
      },
    });
    const at = lines.findIndex((line) => line["isCompactSummary"] === true);
    expect(lines[at]?.["uuid"]).toBe(
      (boundary?.["compactMetadata"] as { preservedSegment?: { anchorUuid: string } } | undefined)?.preservedSegment
        ?.anchorUuid,
    );
  });

  test("a block keeps the conversation as it is and does not loop", async () => {
    const { run, payloads } = open({
      settings: allow,
      hooks: { PreCompact: { stderr: "no", exit: 2 }, PostCompact: {} },
    });
    const calls = [{ tool: "Bash", input: { command: "true" } }];
    const { result, requests } = await run(
      [{ calls, usage: { input: 900 } }, { calls, usage: { input: 910 } }, { text: "done" }],
      { prompt: "go", compactAt: 500 },
    );
    expect(result.result).toBe("done");
    expect(payloads("PreCompact")).toHaveLength(1);
    expect(payloads("PostCompact")).toEqual([]);
    expect(requests[2]?.messages[0]).toEqual({ role: "user", content: "go" });
  });

  test("a request that is too long is tried once more on a compacted conversation", async () => {
    const { run, payloads } = open({ hooks: { PreCompact: {}, StopFailure: {} } });
    const tooLong = { error: { status: 400, message: "prompt is too long: 300000 tokens > 200000 maximum" } };
    const { result } = await run([tooLong, summary, { text: "fits now" }], { prompt: "go" });
    expect(result.result).toBe("fits now");
    expect(payloads("PreCompact")).toMatchObject([{ trigger: "auto" }]);
    expect(payloads("StopFailure")).toEqual([]);
  });

  test("/compact takes instructions, headless on a resumed session", async () => {
    const { run, payloads } = open({ hooks: { PreCompact: {}, PostCompact: {}, UserPromptSubmit: {} } });
    const first = await run([{ text: "hi" }], { prompt: "hello" });
    const second = await run([summary], { prompt: "/compact focus on tests", resume: first.result.session_id });
    expect(second.result).toMatchObject({ result: "Compacted.", session_id: first.result.session_id });
    expect(payloads("PreCompact")[0]).toMatchObject({ trigger: "manual", custom_instructions: "focus on tests" });
    expect(payloads("UserPromptSubmit")).toHaveLength(1);
    const third = await run([{ text: "yes" }], { prompt: "and now", resume: first.result.session_id });
    expect(JSON.stringify(third.requests[0]?.messages)).toContain("SUMMARY TEXT");
    expect(JSON.stringify(third.requests[0]?.messages)).not.toContain('"hello"');
  });
});

describe("the model", () => {
  test("hooks decide about a switch; a denial keeps the model; the next request has their context", async () => {
    const { run, payloads } = open({
      hooks: {
        PreModelSwitch: { matcher: "bad", stderr: "not that one", exit: 2 },
        PostModelSwitch: { print: "you are new here" },
      },
    });
    const refused: unknown[] = [];
    const { requests } = await run([{ text: "a" }], {
      onReady: async (control) => {
        refused.push(await control.setModel("bad"), await control.setModel("good"));
        control.prompt("go");
        control.end();
      },
    });
    expect(refused).toEqual([{ refused: expect.stringContaining("not that one") }, {}]);
    expect(requests[0]?.model).toBe("good");
    expect(JSON.stringify(requests[0]?.messages)).toContain("you are new here");
    expect(payloads("PostModelSwitch")[0]).toMatchObject({
      from_model: "scripted",
      to_model: "good",
      requested_model: "good",
      source: "sdk",
    });
  });

  test("the fallback model replaces an overloaded model", async () => {
    const { run, payloads } = open({ hooks: { PostModelSwitch: {}, PreModelSwitch: {} } });
    const { result, requests } = await run(
      [{ error: { status: 529, message: "Overloaded" } }, { text: "from the other" }],
      { prompt: "go", fallbackModel: "spare" },
    );
    expect(result.result).toBe("from the other");
    expect(requests.map(({ model }) => model)).toEqual(["scripted", "spare"]);
    expect(payloads("PreModelSwitch")).toEqual([]);
    expect(payloads("PostModelSwitch")[0]).toMatchObject({ source: "auto", requested_model: null, to_model: "spare" });
  });

  test("MessageDisplay replaces what is shown and the result, not the transcript; lines come whole", async () => {
    const { run, payloads, transcript } = open({
      hooks: {
        MessageDisplay: {
          print: { hookSpecificOutput: { hookEventName: "MessageDisplay", displayContent: "[shown]" } },
        },
      },
    });
    const { result } = await run([{ text: "line one\nline two\nend", chunk: { size: 6, delayMs: 0 } }], {
      prompt: "go",
    });
    const deltas = payloads("MessageDisplay").map((payload) => [payload["index"], payload["final"], payload["delta"]]);
    expect(deltas.map(([, , delta]) => delta).join("")).toBe("line one\nline two\nend");
    expect(deltas.map(([, final]) => final)).toEqual([...Array(deltas.length - 1).fill(false), true]);
    expect(deltas.slice(0, -1).every(([, , delta]) => String(delta).endsWith("\n"))).toBe(true);
    expect(Object.keys(payloads("MessageDisplay")[0] ?? {})).toEqual(keys("MessageDisplay"));
    expect(result.result).toBe("[shown]".repeat(deltas.length));
    expect(JSON.stringify(transcript(result.session_id))).toContain("line one\\nline two\\nend");
  });
});

function keys(event: string): readonly string[] {
  const file = join(import.meta.dirname, "../../../test/fixtures/payloads", `${event}.jsonl`);
  return Object.keys(JSON.parse(readFileSync(file, "utf8").split("\n")[0] ?? "{}") as object);
}

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { scripted } from "../../models/internal.ts";
import type { ServerConnector } from "../mcp/mcp-servers.ts";
import { type Tool, toolSuccess } from "../tools/tool.ts";
import { front, type Line } from "./fixtures/front.ts";
import { terminalUser } from "./interactive.ts";

describe("headless", () => {
  test("text: stdout has the answer and stderr the notices, without terminal control sequences", async () => {
    const { headless, seen } = front({ hooks: { Stop: { print: { systemMessage: "a \u001b[31mmessage" } } } });
    expect(await headless([{ text: "plain \u001b]0;title\u0007text \u001b[2J" }], { prompt: "go" })).toBe(0);
    expect(seen.out).toBe("plain text \n");
    expect(seen.err).toContain("a message");
    expect(seen.err + seen.out).not.toContain("\u001b");
  });

  test.each([
    ["enough", { continue: false, stopReason: "enough" }],
    ["no reason given", { continue: false }],
  ])("text: a run that a hook ends without an answer is reported on stderr: %s", async (reason, print) => {
    const { headless, seen } = front({ hooks: { PostToolUse: { print } } });
    const call = { calls: [{ tool: "Bash", input: { command: "true" } }] };
    expect(await headless([call], { prompt: "go" })).toBe(0);
    expect(seen).toMatchObject({ out: "", err: `hookline: a hook ended the run: ${reason}\n` });
  });

  test("an observer that throws ends nothing and is reported once on stderr", async () => {
    const { headless, seen } = front({ hooks: {} });
    const observe = () => {
      throw new Error("oops");
    };
    expect(await headless([{ text: "fine" }], { prompt: "go", observe })).toBe(0);
    expect(seen.out).toBe("fine\n");
    expect(seen.err.match(/The observer of this run threw.*oops/g)).toHaveLength(1);
  });

  test("json: prints one object with the fields that Claude Code prints", async () => {
    const { headless, lines } = front({ hooks: {} });
    expect(await headless([{ error: { status: 401, message: "no" } }], { prompt: "go", output: "json" })).toBe(1);
    const [result] = lines();
    const recorded = streamFixture().at(-1) ?? {};
    const known = Object.keys(recorded).filter(
      (key) => !["ttft_ms", "ttft_stream_ms", "time_to_request_ms", "fast_mode_state"].includes(key),
    );
    expect(Object.keys(result ?? {})).toEqual(expect.arrayContaining(known));
    expect(result).toMatchObject({ is_error: true, subtype: "success", api_error_status: 401 });
  });

  test("text: a run that reaches its limit of turns or budget reports it", async () => {
    const call = { calls: [{ tool: "Bash", input: { command: "true" } }], usage: { input: 1_000_000 } };
    const turns = front({ hooks: {} });
    expect(await turns.headless([call], { prompt: "go", maxTurns: 1 })).toBe(1);
    expect(turns.seen.out).toBe("Error: Reached max turns (1)\n");
    turns.remove();
    const budget = front({ hooks: {} });
    const model = await scripted({ model: "claude-sonnet-5-5", answers: [call] });
    expect(await budget.headless([], { prompt: "go", maxBudgetUsd: 0.01, model })).toBe(1);
    expect(budget.seen.out).toBe("Error: Exceeded USD budget (0.01)\n");
  });

  test("json: a limit has the subtype, stop reason and errors of Claude Code", async () => {
    const { headless, lines } = front({ hooks: {} });
    const call = { calls: [{ tool: "Bash", input: { command: "true" } }] };
    await headless([call], { prompt: "go", maxTurns: 1, output: "json" });
    expect(lines()[0]).toMatchObject({
      subtype: "error_max_turns",
      is_error: true,
      stop_reason: "tool_use",
      terminal_reason: "max_turns",
      errors: ["Reached maximum number of turns (1)"],
    });
  });

  test("stream-json: a subagent has task lines, and its lines carry its type and task", async () => {
    const { headless, lines } = front({ settings: { permissions: { allow: ["Bash"] } }, hooks: {} });
    const task = { description: "look around", prompt: "look", subagent_type: "general-purpose" };
    const answers = [
      { calls: [{ tool: "Agent", id: "toolu_a", input: task }] },
      { when: { purpose: "subagent" as const }, calls: [{ tool: "Bash", input: { command: "ls" } }] },
      { when: { purpose: "subagent" as const }, text: "nothing" },
      { text: "done" },
    ];
    await headless(answers, { prompt: "go", output: "stream-json" });
    const all = lines();
    const tasks = all.filter((line) => String(line["subtype"]).startsWith("task_"));
    expect(tasks.map((line) => line["subtype"])).toEqual([
      ...["task_started", "task_progress", "task_updated", "task_notification"],
    ]);
    const id = tasks[0]?.["task_id"];
    expect(tasks).toMatchObject([
      {
        tool_use_id: "toolu_a",
        description: "look around",
        subagent_type: "general-purpose",
        is_backgrounded: false,
        spawn_depth: 1,
        task_type: "local_agent",
        prompt: "look",
      },
      {
        task_id: id,
        tool_use_id: "toolu_a",
        description: "Running ls",
        last_tool_name: "Bash",
        usage: { tool_uses: 1 },
      },
      { task_id: id, patch: { status: "completed" } },
      { task_id: id, status: "completed", summary: "look around", output_file: "", usage: { tool_uses: 1 } },
    ]);
    const own = all.filter((line) => line["parent_tool_use_id"] === "toolu_a");
    expect(own.length).toBeGreaterThan(2);
    for (const line of own)
      expect(line).toMatchObject({ agent_id: id, subagent_type: "general-purpose", task_description: "look around" });
  });

  test("stream-json: a call that rules or the mode refuse has a permission_denied line; a hook's denial has none", async () => {
    const { headless, lines } = front({
      hooks: { PreToolUse: { matcher: "Write", stderr: "no", exit: 2 } },
      settings: { permissions: { deny: ["Bash(rm *)"] } },
    });
    const answers = [
      { calls: [{ tool: "Bash", id: "toolu_rm", input: { command: "rm x" } }] },
      { calls: [{ tool: "Write", id: "toolu_w", input: { file_path: "/tmp/x", content: "" } }] },
      { text: "done" },
    ];
    await headless(answers, { prompt: "go", output: "stream-json" });
    const denied = lines().filter((line) => line["subtype"] === "permission_denied");
    expect(denied).toMatchObject([
      { tool_name: "Bash", tool_use_id: "toolu_rm", message: expect.stringContaining("denied") },
    ]);
  });

  test("stream-json: init lists commands, skills and built-in commands, and names the variable of the key", async () => {
    const { headless, lines, env } = front({
      hooks: {},
      files: { ".claude/commands/hi.md": "say hi", ".claude/skills/sk/SKILL.md": "a skill" },
    });
    await headless([{ text: "ok" }], {
      prompt: "go",
      output: "stream-json",
      env: { ...env, ANTHROPIC_API_KEY: "sk-x" },
    });
    expect(lines()[0]).toMatchObject({
      subtype: "init",
      slash_commands: expect.arrayContaining(["hi", "sk", "compact", "clear"]),
      skills: ["sk"],
      apiKeySource: "ANTHROPIC_API_KEY",
    });
  });

  test("initialize accepts systemPrompt, appendSystemPrompt and agents, and lists commands, agents and models", async () => {
    const { headless, lines, send, stdin, until } = front({
      hooks: {},
      files: { ".claude/commands/hi.md": "---\ndescription: says hi\n---\nsay hi" },
    });
    const agents = { rev: { description: "reviews", prompt: "Review.", tools: ["Read"] } };
    const expectation = [
      { in: "system" as const, contains: ["You are Bob.", "Be brief."], lacks: ["You are a coding agent"] },
      { in: "tools" as const, contains: ["rev: reviews"] },
    ];
    const ended = headless([{ text: "ok", expect: expectation }], { input: "stream-json", output: "stream-json" });
    send({
      type: "control_request",
      request_id: "1",
      request: { subtype: "initialize", systemPrompt: ["You are Bob."], appendSystemPrompt: "Be brief.", agents },
    });
    send({ type: "user", message: { role: "user", content: "hi" } });
    await until(/"type":"result"/);
    stdin.end();
    expect(await ended).toBe(0);
    expect(lines()[0]).toMatchObject({
      response: {
        subtype: "success",
        response: {
          commands: [{ name: "hi", description: "says hi", argumentHint: "" }],
          agents: expect.arrayContaining([{ name: "rev", description: "reviews" }]),
          models: [{ value: "scripted" }],
        },
      },
    });
    expect(lines().at(-1)).toMatchObject({ type: "result", result: "ok" });
  });

  test.each([
    ["jsonSchema", { type: "object" }],
    ["sdkMcpServers", ["s"]],
    ["toolAliases", { a: "b" }],
    ["agents", { rev: { description: "d", prompt: "p", disallowedTools: ["Bash"] } }],
  ])("initialize refuses %s by name, because it cannot be honored", async (name, value) => {
    const { headless, lines, send, stdin, until } = front({ hooks: {} });
    const ended = headless([], { input: "stream-json", output: "stream-json" });
    send({ type: "control_request", request_id: "1", request: { subtype: "initialize", [name]: value } });
    await until(/control_response/);
    stdin.end();
    await ended;
    const { response } = lines()[0] as { response: { subtype: string; error: string } };
    expect(response.subtype).toBe("error");
    expect(response.error).toContain(name === "agents" ? "disallowedTools" : name);
  });

  test("register_repo_root takes a folder below the session's, and refuses any other", async () => {
    const { headless, lines, send, stdin, until, project } = front({ hooks: {}, files: { "sub/a.txt": "a" } });
    const ended = headless([], { input: "stream-json", output: "stream-json" });
    send({ type: "control_request", request_id: "1", request: { subtype: "register_repo_root", path: "/usr" } });
    send({
      type: "control_request",
      request_id: "2",
      request: { subtype: "register_repo_root", path: join(project, "sub") },
    });
    await until(/"request_id":"1"/);
    await until(/"request_id":"2"/);
    stdin.end();
    await ended;
    const responses = lines() as { response?: { request_id: string } }[];
    // Requests are answered as they finish, in any order.
    const byRequest = ["1", "2"].map((id) => responses.find(({ response }) => response?.request_id === id));
    expect(byRequest).toMatchObject([
      {
        response: {
          subtype: "error",
          error: expect.stringContaining("is not a subdirectory of the session's working directory"),
        },
      },
      { response: { subtype: "success", response: { directory: expect.stringContaining("sub") } } },
    ]);
  });

  test("stream-json: prints the lines of the recorded stream, with their keys", async () => {
    const { headless, lines, project } = front({
      files: { "a.txt": "hello\n" },
      settings: { permissions: { allow: ["Bash", "Read"] } },
    });
    const calls = [
      { tool: "Bash", input: { command: "echo hi", description: "say hi" } },
      { tool: "Read", input: { file_path: join(project, "a.txt") } },
    ];
    const answers = [
      { thinking: "let me think", text: "I will look.", calls },
      { calls: [{ tool: "Bash", input: { command: "exit 3" } }] },
      { text: "All done." },
    ];
    expect(await headless(answers, { prompt: "do the thing", output: "stream-json", hookEvents: true })).toBe(0);
    const kinds = (all: readonly Line[]) => [...new Set(all.map(kindOf))];
    const expected = kinds(streamFixture()).filter((kind) => kind !== "system/thinking_tokens");
    expect(kinds(lines())).toEqual(expected);
    for (const kind of expected) {
      const [ours, theirs] = [lines(), streamFixture()].map((all) =>
        // The recorded stream is older than 2.1.325, which dates the lines of the model too.
        Object.keys({
          ...(all.find((line) => kindOf(line) === kind) ?? {}),
          ...(kind === "assistant" ? { timestamp: 0 } : {}),
        }).sort(),
      );
      if (kind !== "system/init" && kind !== "result") expect([kind, ours]).toEqual([kind, theirs]);
    }
    expect(
      lines()
        .filter((line) => kindOf(line).startsWith("user"))
        .map((line) => line["tool_use_result"]),
    ).toMatchObject([expect.anything(), expect.anything(), "Error: Exit code 3"]);
    expect(lines().filter(({ hook_event }) => hook_event === "SessionEnd")).toEqual([]);
    expect(lines().at(-1)).toMatchObject({ type: "result", result: "All done.", num_turns: 4 });
  });

  test("stream-json: the output of a running hook is reported once", async () => {
    const wait = (name: string) => `while [ ! -e ${name} ]; do sleep 0.02; done`;
    const { headless, lines, until, project } = front({
      hooks: { UserPromptSubmit: { run: `echo one; ${wait("go")}; echo two >&2; ${wait("on")}` } },
    });
    const wishes = { prompt: "go", output: "stream-json", hookEvents: true, hookProgressMs: 20 } as const;
    const run = headless([{ text: "done" }], wishes);
    await until(/hook_progress/);
    writeFileSync(join(project, "go"), "");
    await until(/hook_progress.*two/);
    writeFileSync(join(project, "on"), "");
    expect(await run).toBe(0);
    const ofHook = lines().filter(({ hook_event }) => hook_event === "UserPromptSubmit");
    expect(ofHook.map(({ subtype, stdout, stderr }) => [subtype, stdout, stderr])).toEqual([
      ["hook_started", undefined, undefined],
      ["hook_progress", "one\n", ""],
      ["hook_progress", "one\n", "two\n"],
      ["hook_response", "one\n", "two\n"],
    ]);
    expect(new Set(ofHook.map(({ hook_id }) => hook_id)).size).toBe(1);
    const [, progress, , response] = ofHook.map((line) => Object.keys(line));
    expect([...(progress ?? []), "exit_code", "outcome"].sort()).toEqual(response?.sort());
  });

  test("partial messages are the events of a Messages stream", async () => {
    const { headless, lines } = front({ hooks: {} });
    await headless([{ text: "abcdef", chunk: { size: 3 } }], {
      prompt: "go",
      output: "stream-json",
      partialMessages: true,
    });
    const types = lines()
      .filter(({ type }) => type === "stream_event")
      .map(({ event }) => (event as Line)["type"]);
    expect(types).toEqual([
      "message_start",
      "content_block_start",
      "content_block_delta",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ]);
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("%s ends the run with %i, SessionEnd and no child left", async (name, status) => {
    const { headless, signal, payloads, project } = front({
      hooks: { SessionEnd: {}, PreToolUse: { matcher: "Bash" } },
      settings: { permissions: { allow: ["Bash"] } },
    });
    const run = headless([{ calls: [{ tool: "Bash", input: { command: "echo $$ > pid; sleep 30" } }] }], {
      prompt: "go",
      permissionMode: "bypassPermissions",
    });
    await expect
      .poll(() => existsSync(join(project, "pid")) && readFileSync(join(project, "pid"), "utf8"))
      .toMatch(/\d+\n/);
    signal(name);
    expect(await run).toBe(status);
    expect(payloads("SessionEnd")).toMatchObject([{ reason: "other" }]);
    const pid = Number(readFileSync(join(project, "pid"), "utf8"));
    expect(() => process.kill(pid, 0)).toThrow();
  });

  test("a second Ctrl-C exits at once and leaves no process running", async () => {
    const { headless, signal, seen, project } = front({ hooks: {}, settings: { permissions: { allow: ["Bash"] } } });
    const run = headless(
      [{ calls: [{ tool: "Bash", input: { command: "trap '' TERM; echo $$ > there; sleep 30" } }] }],
      {
        prompt: "go",
        permissionMode: "bypassPermissions",
      },
    );
    await expect
      .poll(() => existsSync(join(project, "there")) && readFileSync(join(project, "there"), "utf8"))
      .toMatch(/\d/);
    signal("SIGINT");
    signal("SIGINT");
    await expect.poll(() => seen.left).toBe(130);
    const pid = Number(readFileSync(join(project, "there"), "utf8"));
    // A killed process is there until it is collected.
    await expect.poll(() => isThere(pid)).toBe(false);
    await run;
  });
});

/** A server's tool that asks the user something. */
function asking(ask: () => Promise<unknown>): Tool {
  return {
    name: "mcp__srv__ask",
    description: "",
    inputSchema: { type: "object" },
    readOnly: false,
    render: () => "asked",
    run: async () => toolSuccess(await ask()),
  };
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("the protocol", () => {
  const open = { input: "stream-json", output: "stream-json" } as const;
  const user = (content: string) => ({ type: "user", message: { role: "user", content } });
  const request = (id: string, fields: Line) => ({ type: "control_request", request_id: id, request: fields });

  test("prompts run one after another, each with its result; the end of input ends the session", async () => {
    const { headless, send, stdin, lines } = front({ hooks: {} });
    const run = headless([{ text: "one" }, { text: "two" }], open);
    send(user("a"));
    send(user("b"));
    stdin.end();
    expect(await run).toBe(0);
    expect(
      lines()
        .filter(({ type }) => type === "result")
        .map(({ result }) => result),
    ).toEqual(["one", "two"]);
  });

  test("a line ends at a line feed only; its bytes may arrive in pieces, and the last one needs no line feed", async () => {
    const { headless, stdin, lines, payloads } = front({ hooks: { UserPromptSubmit: {} } });
    const run = headless([{ text: "one" }, { text: "two" }], open);
    const text = "a\u2028b\u2029c \u{1f600}";
    const bytes = Buffer.from(`${JSON.stringify(user(text))}\r\n${JSON.stringify(user("last"))}`);
    for (const byte of bytes) stdin.write(Buffer.from([byte]));
    stdin.end();
    expect(await run).toBe(0);
    expect(payloads("UserPromptSubmit").map(({ prompt }) => prompt)).toEqual([text, "last"]);
    expect(lines().filter(({ type }) => type === "control_response")).toEqual([]);
  });

  test("hook callbacks of initialize get the recorded requests, and their answers count from SessionStart on", async () => {
    const { headless, send, stdin, lines, until, seen } = front({
      hooks: {},
      settings: { permissions: { allow: ["Bash"] } },
    });
    const run = headless([{ calls: [{ tool: "Bash", input: { command: "echo hi" } }] }, { text: "done" }], open);
    const hooks = {
      SessionStart: [{ hookCallbackIds: ["cb_s"] }],
      PreToolUse: [{ matcher: "Bash", hookCallbackIds: ["cb_0"] }],
    };
    send(request("r1", { subtype: "initialize", hooks }));
    const callback = (id: string) =>
      lines().find((line) => ((line["request"] as Line | undefined)?.["callback_id"] as string | undefined) === id);
    const answer = (id: string, response: Line) =>
      send({
        type: "control_response",
        response: { subtype: "success", request_id: callback(id)?.["request_id"], response },
      });
    await until(/"cb_s"/);
    answer("cb_s", {});
    send(user("go"));
    await until(/"cb_0"/);
    const theirs = JSON.parse(readFileSync(fixture("_sdk-control-requests.jsonl"), "utf8").split("\n")[0] ?? "") as {
      request: Line;
    };
    expect(Object.keys(callback("cb_0")?.["request"] as Line)).toEqual(Object.keys(theirs.request));
    expect(Object.keys((callback("cb_0")?.["request"] as { input: Line } | undefined)?.input ?? {})).toEqual(
      Object.keys(theirs.request["input"] as Line),
    );
    answer("cb_0", {
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: "the program says no",
      },
    });
    stdin.end();
    await run;
    expect(seen.out).toContain("the program says no");
    expect(lines()).toContainEqual(
      expect.objectContaining({
        type: "control_response",
        response: expect.objectContaining({ subtype: "success", request_id: "r1" }),
      }),
    );
  });

  test("a hook callback has the timeout of initialize; an invalid timeout registers no callback", async () => {
    const { headless, send, stdin, lines, until, project } = front({ hooks: {} });
    const calls = [{ tool: "Bash", input: { command: "touch there" } }];
    const run = headless([{ calls }, { text: "done" }], { ...open, permissionMode: "bypassPermissions" });
    const group = (timeout: number, id: string) => ({ matcher: "Bash", hookCallbackIds: [id], timeout });
    send(
      request("bad", { subtype: "initialize", hooks: { PreToolUse: [group(60, "cb_first"), group(-1, "cb_bad")] } }),
    );
    await until(/"subtype":"error"/);
    send(request("good", { subtype: "initialize", hooks: { PreToolUse: [group(0.2, "cb_slow")] } }));
    send(user("go"));
    await until(/control_cancel_request/);
    stdin.end();
    expect(await run).toBe(0);
    expect(existsSync(join(project, "there"))).toBe(true);
    const asked = lines().flatMap((line) => (line["request"] as Line | undefined)?.["callback_id"] ?? []);
    expect(asked).toEqual(["cb_slow"]);
    const refused = lines().find(({ response }) => (response as Line | undefined)?.["request_id"] === "bad");
    expect(refused).toMatchObject({ response: { subtype: "error", error: expect.stringContaining("timeout") } });
  });

  test("a server's form goes to a program that takes requests, and is cancelled for one that sends prompts only", async () => {
    const answers: unknown[] = [];
    for (const speaks of [true, false]) {
      const { headless, send, stdin, lines, until } = front({ hooks: {} });
      const connect: ServerConnector = async ({ elicit, signal }) => ({
        tools: [asking(async () => answers.push(await elicit({ server: "srv", message: "Who?", schema: {} }, signal)))],
        states: [],
        port: async () => ({ connected: false }),
        close: async () => undefined,
      });
      const calls = [{ tool: "mcp__srv__ask", input: {} }];
      const run = headless([{ calls }, { text: "done" }], { ...open, connect, permissionMode: "bypassPermissions" });
      if (speaks) send(request("r1", { subtype: "initialize" }));
      send(user("go"));
      if (speaks) {
        await until(/"elicitation"/);
        const form = lines().find((line) => (line["request"] as Line | undefined)?.["subtype"] === "elicitation");
        expect(form?.["request"]).toMatchObject({ mcp_server_name: "srv", message: "Who?", mode: "form" });
        const response = { action: "accept", content: { name: "Ada" } };
        const answer = { subtype: "success", request_id: form?.["request_id"], response };
        send({ type: "control_response", response: answer });
      } else await until(/"done"/);
      stdin.end();
      expect(await run).toBe(0);
    }
    expect(answers).toEqual([{ action: "accept", content: { name: "Ada" } }, { action: "cancel" }]);
  });

  test("can_use_tool has the recorded fields; the answer may allow with another input or deny with a message", async () => {
    const { headless, send, stdin, lines, until, project, seen } = front({ hooks: {} });
    const touch = (name: string) => ({ calls: [{ tool: "Bash", input: { command: `touch ${name}` } }] });
    const run = headless([touch("zz.txt"), touch("no.txt"), { text: "done" }], { ...open, askOverStdio: true });
    send(user("go"));
    const asked = () => lines().filter((line) => (line["request"] as Line | undefined)?.["subtype"] === "can_use_tool");
    const answer = (n: number, response: Line) =>
      send({
        type: "control_response",
        response: { subtype: "success", request_id: asked()[n]?.["request_id"], response },
      });
    await until(/can_use_tool/);
    const recorded = readFileSync(fixture("_sdk-control-requests.jsonl"), "utf8").trimEnd().split("\n");
    const theirs = JSON.parse(recorded.find((line) => line.includes("can_use_tool")) ?? "{}") as { request: Line };
    const fields = Object.keys(theirs.request).filter((name) => name !== "blocked_path");
    expect(Object.keys(asked()[0]?.["request"] as Line)).toEqual([...fields, "decision_reason"]);
    expect(asked()[0]?.["request"]).toMatchObject({ description: "touch zz.txt" });
    answer(0, { behavior: "allow", updatedInput: { command: "touch yy.txt" } });
    await expect.poll(() => asked().length).toBe(2);
    answer(1, { behavior: "deny", message: "never" });
    stdin.end();
    await run;
    expect([
      existsSync(join(project, "yy.txt")),
      existsSync(join(project, "zz.txt")),
      existsSync(join(project, "no.txt")),
    ]).toEqual([true, false, false]);
    expect(seen.out).toContain("never");
  });

  test("a question is denied when the program closes its side", async () => {
    const { headless, send, stdin, until, project, lines } = front({ hooks: {} });
    const run = headless([{ calls: [{ tool: "Bash", input: { command: "touch no.txt" } }] }, { text: "done" }], {
      ...open,
      askOverStdio: true,
    });
    send(user("go"));
    await until(/can_use_tool/);
    stdin.end();
    expect(await run).toBe(0);
    expect(existsSync(join(project, "no.txt"))).toBe(false);
    expect(lines().at(-1)).toMatchObject({
      type: "result",
      result: "done",
      permission_denials: [{ tool_name: "Bash" }],
    });
  });

  test("a permission question after stdin has closed is denied, and the run ends", async () => {
    const { headless, send, stdin, lines } = front({ hooks: {} });
    const calls = [{ tool: "Bash", input: { command: "touch no.txt" } }];
    const run = headless([{ calls }, { text: "done" }], { ...open, askOverStdio: true });
    send(request("r1", { subtype: "initialize", hooks: { PreToolUse: [{ hookCallbackIds: ["cb"] }] } }));
    send(user("go"));
    stdin.end();
    expect(await run).toBe(0);
    expect(lines().at(-1)).toMatchObject({ result: "done", permission_denials: [{ tool_name: "Bash" }] });
  });

  test("requests set modes, models, folders and stop hooks and interrupt a turn; an unknown request gets an error message", async () => {
    const { headless, send, stdin, lines, until, project, payloads } = front({
      hooks: { DirectoryAdded: {}, Stop: {} },
      files: { "sub/a": "" },
      settings: { permissions: { allow: ["Bash"] } },
    });
    const run = headless([{ calls: [{ tool: "Bash", input: { command: "sleep 20" } }] }, { text: "after" }], open);
    send(request("m", { subtype: "set_permission_mode", mode: "acceptEdits" }));
    send(request("x", { subtype: "set_permission_mode", mode: "nonsense" }));
    send(request("o", { subtype: "set_model", model: "other" }));
    send(request("d", { subtype: "register_repo_root", path: join(project, "sub") }));
    send(request("s", { subtype: "stop_hook", action: "add", command: "true" }));
    send(request("l", { subtype: "stop_hook", action: "list" }));
    send(request("u", { subtype: "make_coffee" }));
    stdin.write("not json\n");
    send(user("go"));
    await until(/"tool_use"/);
    send(request("i", { subtype: "interrupt" }));
    await until(/"interrupted"/);
    send(user("again"));
    stdin.end();
    expect(await run).toBe(0);
    const answers = Object.fromEntries(
      lines()
        .filter(({ type }) => type === "control_response")
        .map((line) => {
          const { request_id, ...rest } = line["response"] as Line;
          return [String(request_id), rest];
        }),
    );
    expect(answers).toMatchObject({
      m: { subtype: "success", response: { mode: "acceptEdits" } },
      x: { subtype: "error" },
      o: { subtype: "success" },
      d: { subtype: "success", response: { directory: join(project, "sub") } },
      s: { subtype: "success", response: { id: expect.any(String) } },
      l: { subtype: "success", response: { hooks: [{ command: "true" }] } },
      u: { subtype: "error", error: expect.stringContaining("make_coffee") },
      i: { subtype: "success" },
      undefined: { subtype: "error", error: expect.stringContaining("not a JSON object") },
    });
    expect(
      lines()
        .filter(({ type }) => type === "result")
        .map(({ terminal_reason }) => terminal_reason),
    ).toEqual(["interrupted", "completed"]);
    expect(payloads("DirectoryAdded")).toMatchObject([{ source: "register_repo_root" }]);
  });
});

test.each([
  ["no message", {}],
  ["a number", { message: { role: "user", content: 5 } }],
  ["blocks that are none", { message: { role: "user", content: [null, 5] } }],
])("a user message with %s is answered with an error, and the next prompt is taken", async (_, fields) => {
  const { headless, send, stdin, lines } = front({ hooks: {} });
  const run = headless([{ text: "fine" }], { input: "stream-json", output: "stream-json" });
  send({ type: "user", ...fields });
  send({ type: "user", message: { role: "user", content: "hi" } });
  stdin.end();
  expect(await run).toBe(0);
  const replies = lines().filter(({ type }) => type === "control_response" || type === "result");
  expect(replies).toMatchObject([
    { response: { subtype: "error", error: expect.stringContaining("a user message without content") } },
    { result: "fine" },
  ]);
});

describe("a line prompt", () => {
  test("the line prompt takes prompts, commands, the answer to a question, and /exit", async () => {
    const { interactive, stdin, until, seen, payloads, project, transcript } = front({
      hooks: { SessionStart: {}, SessionEnd: {}, UserPromptSubmit: {} },
    });
    const run = interactive([
      { text: "hello\nthere" },
      { calls: [{ tool: "Bash", input: { command: "touch made" } }] },
      { text: "made it" },
    ]);
    await until(/> $/);
    stdin.write("hi\n");
    await until(/hello\nthere\n> $/);
    stdin.write("make it\n");
    await until(/\[y\]es, \[n\]o/);
    stdin.write("y\n");
    await until(/made it\n> $/);
    stdin.write("/hooks\n");
    await until(/UserPromptSubmit {2}sh/);
    stdin.write("/exit\n");
    expect(await run).toBe(0);
    expect(existsSync(join(project, "made"))).toBe(true);
    expect(payloads("SessionStart")[0]).toMatchObject({ source: "startup", model: "scripted" });
    expect(payloads("SessionEnd")[0]).toMatchObject({ reason: "prompt_input_exit" });
    expect(payloads("UserPromptSubmit").map(({ prompt }) => prompt)).toEqual(["hi", "make it"]);
    expect(JSON.stringify(transcript(String(payloads("SessionEnd")[0]?.["session_id"])))).toContain(
      '"promptSource":"typed"',
    );
    expect(seen.out).toContain("· Bash touch made");
  });

  test("/hooks says what is wrong with a hook", async () => {
    const { interactive, stdin, until } = front({ hooks: { PreToolUse: { matcher: "Bsah" } } });
    const run = interactive([]);
    await until("Did you mean");
    stdin.write("/hooks\n");
    await until(/PreToolUse:Bsah {2}sh .*\(The matcher "Bsah" names no known tool/);
    stdin.write("/exit\n");
    expect(await run).toBe(0);
  });

  test("a stop hook can be added, listed and removed at run time, by the user only, and the transcript records each step", async () => {
    const { interactive, stdin, until, payloads, transcript, project } = front({ hooks: { SessionEnd: {} } });
    const run = interactive([{ text: "/stop-hook remove 1" }, { text: "went on" }, { text: "free" }]);
    await until(/> $/);
    stdin.write("/stop-hook add test -e done || { touch done; echo not yet >&2; exit 2; }\n");
    await until(/It runs before a turn ends/);
    stdin.write("work\n");
    await until(/went on\n> $/);
    stdin.write("/stop-hook list\n");
    await until(/1 {2}test -e done/);
    stdin.write("/stop-hook remove 1\n");
    await until(/Removed:/);
    stdin.write("once more\n");
    await until(/free\n> $/);
    stdin.write("/exit\n");
    await run;
    const lines = transcript(String(payloads("SessionEnd")[0]?.["session_id"]));
    const notes = lines
      .filter(({ subtype }) => subtype === "informational")
      .map(({ content }) => String(content).split(":")[0]);
    expect(notes).toEqual(["Stop hook added", "Stop hook ran", "Stop hook ran", "Stop hook removed"]);
    expect(existsSync(join(project, "done"))).toBe(true);
  });
});

function kindOf({ type, subtype }: Line): string {
  return type === "system" ? `${type}/${subtype}` : String(type);
}

function fixture(name: string): string {
  return join(import.meta.dirname, "../../../test/fixtures/payloads", name);
}

function streamFixture(): Line[] {
  return readFileSync(fixture("_stream-json-with-hook-events.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

test("a form at the terminal asks again for what its server could not use", async () => {
  const typed = ["y", "abc", "7", "green", "blue", "", "x", ""];
  const shown: string[] = [];
  const { elicit } = terminalUser(async (text) => {
    shown.push(text);
    return typed.shift();
  });
  const properties = { n: { type: "integer" }, c: { type: "string", enum: ["red", "blue"] }, who: {}, why: {} };
  const schema = { type: "object", properties, required: ["n", "who"] };
  const answer = await elicit?.({ server: "srv", message: "Fill in", schema }, new AbortController().signal);
  expect(answer).toEqual({ action: "accept", content: { n: 7, c: "blue", who: "x" } });
  expect(shown.slice(1).join("")).toBe(
    "n: This must be a whole number.\nn: c (red, blue): Type one of the choices.\nc (red, blue): who: This field is required.\nwho: why: ",
  );
});

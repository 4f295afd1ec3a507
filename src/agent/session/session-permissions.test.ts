import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { until } from "../../../test/until.ts";
import type { AgentControl, PermissionQuestion, UserAnswer, UserPort } from "../agent-ports.ts";
import { makeWorld, type World, type WorldOptions } from "../fixtures/agent-run.ts";
import type { ServerConnector } from "../mcp/mcp-servers.ts";
import type { Tool } from "../tools/tool.ts";

let world: World | undefined;
afterEach(() => world?.remove());

function open(options: WorldOptions = {}): World {
  world = makeWorld(options);
  return world;
}

const touch = (name = "made") => [{ calls: [{ tool: "Bash", input: { command: `touch ${name}` } }] }, { text: "done" }];
const decision = (said: Record<string, unknown>) => ({
  print: { hookSpecificOutput: { hookEventName: "PermissionRequest", decision: said } },
});

function person(answer: UserAnswer, asked: PermissionQuestion[] = []): UserPort {
  return {
    permission: async (question) => {
      asked.push(question);
      return answer;
    },
  };
}

describe("modes", () => {
  test.each([
    ["default", "refused"],
    ["dontAsk", "refused"],
    ["plan", "refused"],
    ["acceptEdits", "ran"],
    ["bypassPermissions", "ran"],
  ] as const)("%s: a command that writes inside is %s without a user to ask", async (permissionMode, fate) => {
    const { run, project } = open({ hooks: {} });
    const { result } = await run(touch(), { prompt: "go", permissionMode });
    expect(existsSync(join(project, "made"))).toBe(fate === "ran");
    expect(result.permission_denials).toHaveLength(fate === "ran" ? 0 : 1);
    expect(result.is_error).toBe(false);
  });

  test("deny beats ask beats allow, over all sources; a hook's allow beats neither", async () => {
    const hooks = {
      PreToolUse: { print: { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } } },
    };
    const { run, project } = open({
      hooks,
      settings: { permissions: { allow: ["Bash"], ask: ["Bash(touch asked)"], deny: ["Bash(touch denied)"] } },
    });
    for (const name of ["asked", "denied", "free"])
      await run(touch(name), { prompt: "go", allowedTools: ["Bash(touch *)"] });
    expect(["asked", "denied", "free"].map((name) => existsSync(join(project, name)))).toEqual([false, false, true]);
  });

  test.each([
    '{"allowManagedPermissionRulesOnly": true}',
    '{"permissions": {"allowManagedPermissionRulesOnly": true}}',
  ])("where only managed rules may grant, allowedTools grants nothing: %s", async (policy) => {
    const { run, home, project } = open({ hooks: {}, files: { "a.txt": "hello" } });
    const managedFolder = join(home, "policy");
    mkdirSync(managedFolder);
    writeFileSync(join(managedFolder, "managed-settings.json"), policy);
    const calls = [
      { tool: "Read", input: { file_path: join(project, "a.txt") } },
      { tool: "TaskCreate", input: { subject: "one", description: "first" } },
      { tool: "Bash", input: { command: "touch made" } },
    ];
    const options = { prompt: "go", managedFolder, allowedTools: ["Bash(touch *)"] };
    const { result } = await run([{ calls }, { text: "done" }], options);
    expect(result.permission_denials).toMatchObject([{ tool_name: "Bash" }]);
  });

  test("a rule for one MCP server does not match a server whose name starts with it", async () => {
    const { run } = open({ hooks: {}, settings: { permissions: { allow: ["mcp__a"] } } });
    const tool = (name: string): Tool => ({
      name,
      description: "",
      inputSchema: { type: "object" },
      readOnly: false,
      render: () => "ran",
      run: async () => ({ isError: false, response: {}, content: "ran" }),
    });
    const connect: ServerConnector = async () => ({
      tools: [tool("mcp__a__x"), tool("mcp__a__b__x")],
      states: ["a", "a__b"].map((name) => ({ name, status: "connected" })),
      port: async () => ({ connected: false }),
      close: async () => undefined,
    });
    const calls = ["mcp__a__x", "mcp__a__b__x"].map((name) => ({ tool: name, input: {} }));
    const { result } = await run([{ calls }, { text: "done" }], { prompt: "go", connect });
    expect(result.permission_denials).toMatchObject([{ tool_name: "mcp__a__b__x" }]);
  });

  test("auto: the classifier answers; its refusal is PermissionDenied, whose retry is honored", async () => {
    const { run, payloads, project } = open({
      hooks: {
        PermissionDenied: { print: { hookSpecificOutput: { hookEventName: "PermissionDenied", retry: true } } },
        PermissionRequest: {},
      },
    });
    const classifier = (text: string) => ({ when: { purpose: "classifier" as const }, text });
    const { requests } = await run(
      [
        ...touch().slice(0, 1),
        classifier('{"allow": false, "reason": "CLS-MARK"}'),
        ...touch("second").slice(0, 1),
        classifier('{"allow": true}'),
        { text: "done" },
      ],
      { prompt: "go", permissionMode: "auto" },
    );
    expect(existsSync(join(project, "made"))).toBe(false);
    expect(existsSync(join(project, "second"))).toBe(true);
    expect(payloads("PermissionRequest")).toEqual([]);
    expect(Object.keys(payloads("PermissionDenied")[0] ?? {})).toEqual(keys("PermissionDenied"));
    expect(payloads("PermissionDenied")[0]).toMatchObject({ reason: "CLS-MARK", permission_mode: "auto" });
    const second = requests.filter(({ purpose }) => purpose === "main")[1];
    expect(JSON.stringify(second?.messages)).toContain(
      "The PermissionDenied hook indicated you may retry this tool call.",
    );
  });

  test.each([
    { permissions: { disableAutoMode: "disable" } },
    { disableAutoMode: "disable" },
    { permissions: { disableAutoMode: "disable", defaultMode: "auto" } },
  ])(
    "auto that settings switch off is default: no classifier is asked, and a notice reports it: %j",
    async (settings) => {
      const { run, payloads, project } = open({ hooks: { PreToolUse: {} }, settings });
      const { requests, events } = await run([...touch().slice(0, 1), { text: "done" }], {
        prompt: "go",
        ...("defaultMode" in (settings.permissions ?? {}) ? {} : { permissionMode: "auto" as const }),
      });
      expect(existsSync(join(project, "made"))).toBe(false);
      expect(requests.filter(({ purpose }) => purpose === "classifier")).toEqual([]);
      expect(payloads("PreToolUse")).toMatchObject([{ permission_mode: "default" }]);
      const text = 'auto is disabled by settings; "default" is used';
      expect(events).toContainEqual(expect.objectContaining({ kind: "notice", text }));
    },
  );

  test("with denyInsteadOfPrompting the tools that touch the session alone still run, unless a rule asks about them", async () => {
    const calls = [
      { tool: "TaskCreate", input: { subject: "one", description: "first" } },
      { tool: "TaskList", input: {} },
      { tool: "Bash", input: { command: "touch made" } },
    ];
    const { run } = open({
      hooks: {},
      settings: { permissions: { denyInsteadOfPrompting: true, ask: ["TaskList"] } },
    });
    const { result } = await run([{ calls }, { text: "done" }], { prompt: "go" });
    expect(result.permission_denials).toMatchObject([{ tool_name: "TaskList" }, { tool_name: "Bash" }]);
  });

  test("auto: an unusable answer of the classifier is a refusal", async () => {
    const { run, project } = open({ hooks: {} });
    await run([...touch().slice(0, 1), { when: { purpose: "classifier" }, text: "sure, go ahead" }, { text: "ok" }], {
      prompt: "go",
      permissionMode: "auto",
    });
    expect(existsSync(join(project, "made"))).toBe(false);
  });
});

describe("PermissionRequest", () => {
  test("PermissionRequest fires also without a user to ask, with the recorded keys; no answer is a refusal with the reason", async () => {
    const { run, payloads } = open();
    const { requests } = await run(touch(), { prompt: "go" });
    expect(Object.keys({ ...payloads("PermissionRequest")[0], permission_suggestions: [] })).toEqual(
      keys("PermissionRequest"),
    );
    expect(JSON.stringify(requests[1]?.messages)).toContain("there is no user to ask (non-interactive)");
  });

  test("a hook may allow a call, also with another input", async () => {
    const { run, payloads, project, transcript } = open({
      hooks: {
        PermissionRequest: decision({ behavior: "allow", updatedInput: { command: "touch other" } }),
        PostToolUse: {},
      },
    });
    const { result } = await run(touch(), { prompt: "go" });
    expect(existsSync(join(project, "other"))).toBe(true);
    expect(payloads("PostToolUse")[0]).toMatchObject({ tool_input: { command: "touch other" } });
    expect(JSON.stringify(transcript(result.session_id))).toContain('"hook_permission_decision","decision":"allow"');
  });

  test("deny rules apply to a call that a hook allowed", async () => {
    const { run, project } = open({
      hooks: { PermissionRequest: decision({ behavior: "allow", updatedInput: { command: "touch denied" } }) },
      settings: { permissions: { deny: ["Bash(touch denied)"] } },
    });
    await run(touch(), { prompt: "go" });
    expect(existsSync(join(project, "denied"))).toBe(false);
  });

  test("a hook denies: its message is the result; interrupt ends the turn", async () => {
    const first = open({ hooks: { PermissionRequest: decision({ behavior: "deny", message: "PR-DENY" }) } });
    const { requests } = await first.run(touch(), { prompt: "go" });
    expect(JSON.stringify(requests[1]?.messages)).toContain('"content":"PR-DENY","is_error":true');
    first.remove();
    const { run } = open({
      hooks: { PermissionRequest: decision({ behavior: "deny", message: "stop it", interrupt: true }), Stop: {} },
    });
    const { result } = await run(touch().slice(0, 1), { prompt: "go" });
    expect(result.terminal_reason).toBe("interrupted");
  });

  test("continue: false ends the loop after the decision, allowed or not", async () => {
    for (const behavior of ["allow", "deny"]) {
      const print = { ...decision({ behavior }).print, continue: false, stopReason: "that was all" };
      const { run, project, remove } = open({ hooks: { PermissionRequest: { print } } });
      const { result } = await run(touch().slice(0, 1), { prompt: "go" });
      expect(result).toMatchObject({ terminal_reason: "hook_stopped", hook_reason: "that was all" });
      expect(existsSync(join(project, "made"))).toBe(behavior === "allow");
      remove();
    }
  });

  test("what a hook adds to the question stays in the transcript when the user interrupts the question", async () => {
    const { run, transcript } = open({ hooks: { PermissionRequest: { print: { systemMessage: "LOOK TWICE" } } } });
    let control: AgentControl | undefined;
    const { result } = await run(touch().slice(0, 1), {
      user: {
        permission: (_, signal) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener("abort", () => reject(signal.reason));
            control?.interrupt();
          }),
      },
      onReady: (given) => {
        control = given;
        given.prompt("go");
        given.end();
      },
    });
    expect(result.terminal_reason).toBe("interrupted");
    expect(JSON.stringify(transcript(result.session_id))).toContain('"content":"LOOK TWICE"');
  });

  test("a rule is saved to local settings and applies at once; the write fires no ConfigChange", async () => {
    const updatedPermissions = [
      {
        type: "addRules",
        rules: [{ toolName: "Bash", ruleContent: "touch *" }],
        behavior: "allow",
        destination: "localSettings",
      },
    ];
    const { run, payloads, project } = open({
      hooks: { PermissionRequest: decision({ behavior: "allow", updatedPermissions }), ConfigChange: {} },
    });
    const { result } = await run([...touch("a").slice(0, 1), ...touch("b")], { prompt: "go" });
    expect(result.permission_denials).toEqual([]);
    expect(payloads("PermissionRequest")).toHaveLength(1);
    expect(JSON.parse(readFileSync(join(project, ".claude/settings.local.json"), "utf8"))).toEqual({
      permissions: { allow: ["Bash(touch *)"] },
    });
    expect(payloads("ConfigChange")).toEqual([]);
    await run(touch("c"), { prompt: "again" });
    expect(payloads("PermissionRequest")).toHaveLength(1);
    expect(["a", "b", "c"].every((name) => existsSync(join(project, name)))).toBe(true);
  });
});

describe("who is asked", () => {
  test("a yes of the user runs the call, and the text of a no is sent to the model", async () => {
    const asked: PermissionQuestion[] = [];
    const { run, project, payloads } = open({ hooks: { PermissionRequest: {} } });
    await run(touch("yes"), { prompt: "go", user: person({ behavior: "allow" }, asked) });
    const { requests } = await run(touch("no"), {
      prompt: "go",
      user: person({ behavior: "deny", message: "rather not" }),
    });
    expect([existsSync(join(project, "yes")), existsSync(join(project, "no"))]).toEqual([true, false]);
    expect(asked).toMatchObject([
      { tool: "Bash", input: { command: "touch yes" }, reason: expect.any(String), suggestions: expect.any(Array) },
    ]);
    expect(JSON.stringify(requests[1]?.messages)).toContain("rather not");
    expect(payloads("PermissionRequest")).toHaveLength(2);
  });

  test("the question about a model switch waits for a permission question", async () => {
    const ask = { hookSpecificOutput: { hookEventName: "PreModelSwitch", permissionDecision: "ask" } };
    const { run, payloads } = open({
      hooks: {
        PreModelSwitch: [
          { matcher: "other", print: ask },
          { matcher: "bad", exit: 2 },
        ],
      },
    });
    const steps: string[] = [];
    let control: AgentControl | undefined;
    let switched: Promise<unknown> | undefined;
    const user: UserPort = {
      permission: async () => {
        steps.push("permission asked");
        switched = control?.setModel("other");
        await until("the hook runs", () => payloads("PreModelSwitch").length === 1);
        // When a later hook has ended, the first one has too.
        await control?.setModel("bad");
        steps.push("permission answered");
        return { behavior: "allow" };
      },
      confirm: async () => {
        steps.push("switch asked");
        return true;
      },
    };
    const onReady = (given: AgentControl) => {
      control = given;
    };
    await run(touch(), { prompt: "go", user, onReady });
    expect(await switched).toEqual({});
    expect(steps).toEqual(["permission asked", "permission answered", "switch asked"]);
  });

  test("one question is asked at a time; Notification fires when one waits for long", async () => {
    let open1 = 0;
    let most = 0;
    const { run, payloads, store } = open({ hooks: { Notification: {} } });
    const statuses: unknown[] = [];
    const slow: UserPort = {
      permission: async () => {
        open1 += 1;
        most = Math.max(most, open1);
        statuses.push(JSON.parse(readFileSync(join(store, "sessions", `${process.pid}.json`), "utf8")));
        await until("the notice is recorded", () => payloads("Notification").length === statuses.length);
        open1 -= 1;
        return { behavior: "allow" };
      },
    };
    const calls = ["a", "b"].map((name) => ({ tool: "Bash", input: { command: `touch ${name}` } }));
    await run([{ calls }, { text: "ok" }], { prompt: "go", user: slow, promptNoticeMs: 10 });
    expect(most).toBe(1);
    expect(statuses).toMatchObject([{ status: "waiting", waitingFor: "permission prompt" }, { status: "waiting" }]);
    await expect.poll(() => payloads("Notification").length).toBe(2);
    expect(Object.keys(payloads("Notification")[0] ?? {})).toEqual(keys("Notification"));
    expect(payloads("Notification")[0]).toMatchObject({ notification_type: "permission_prompt" });
  });

  test("a hook's own question goes to the user", async () => {
    const ask = `read answer_in; echo '{"prompt":"q1","message":"Really?","options":[{"key":"y","label":"Yes"},{"key":"n","label":"No"}]}'; read reply; case "$reply" in *'"selected":"y"'*) echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}';; *) echo no >&2; exit 2;; esac`;
    const settings = { hooks: { PreToolUse: [{ hooks: [{ type: "command", command: ask, interactive: true }] }] } };
    const { run, project } = open({ hooks: {} });
    const answering = (key: string): UserPort => ({ ...person({ behavior: "deny" }), question: async () => key });
    await run(touch("asked"), { prompt: "go", settings: [JSON.stringify(settings)], user: answering("y") });
    await run(touch("refused"), { prompt: "go", settings: [JSON.stringify(settings)], user: answering("n") });
    expect([existsSync(join(project, "asked")), existsSync(join(project, "refused"))]).toEqual([true, false]);
  });
});

function keys(event: string): readonly string[] {
  const file = join(import.meta.dirname, "../../../test/fixtures/payloads", `${event}.jsonl`);
  return Object.keys(JSON.parse(readFileSync(file, "utf8").split("\n")[0] ?? "{}") as object);
}

test("a rule of the settings that cannot be read is reported once, as a warning with its code", async () => {
  const { events } = await open({ hooks: {}, settings: { permissions: { deny: ["bash(rm *)"] } } }).run(
    [{ text: "ok" }],
    {
      prompt: "go",
    },
  );
  const reported = events.flatMap((event) => {
    if (event.kind === "warning") return [[event.warning.code, event.warning.message]];
    return event.kind === "notice" ? [["notice", event.text]] : [];
  });
  expect(reported).toEqual([["rule-invalid", expect.stringContaining('"bash(rm *)" in ')]]);
});

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { until } from "../../../test/until.ts";
import { reviewTrust } from "../../engine/internal.ts";
import { packageVersion } from "../../files/internal.ts";
import { sessionAt, validateSession } from "../../sessions/internal.ts";
import type { RunAgentOptions } from "../agent-options.ts";
import { makeWorld, type World, type WorldOptions } from "../fixtures/agent-run.ts";

let world: World | undefined;
afterEach(() => world?.remove());

function open(options: WorldOptions = {}): World {
  world = makeWorld(options);
  return world;
}

const allow = { permissions: { allow: ["Bash"] } };

describe("the beginning", () => {
  test("SessionStart gives context to the first request; Setup too, and its env file reaches Bash", async () => {
    const { run, payloads } = open({
      settings: allow,
      hooks: {
        Setup: { run: `echo 'export FROM_SETUP=yes' >> "$CLAUDE_ENV_FILE"`, print: "set up" },
        SessionStart: {
          print: {
            hookSpecificOutput: {
              hookEventName: "SessionStart",
              additionalContext: "know this",
              sessionTitle: "A title",
            },
          },
        },
      },
    });
    const { requests } = await run(
      [{ calls: [{ tool: "Bash", input: { command: "echo $FROM_SETUP" } }] }, { text: "ok" }],
      { prompt: "go", setup: "init" },
    );
    expect(payloads().map((payload) => payload["hook_event_name"])).toEqual(["Setup", "SessionStart"]);
    expect(payloads("Setup")[0]).toMatchObject({ trigger: "init" });
    const sent = JSON.stringify(requests[0]?.messages);
    expect(sent).toContain("SessionStart:startup hook additional context: know this");
    expect(sent).toContain("Setup:init hook success: set up");
    expect(JSON.stringify(requests[1]?.messages)).toContain('"content":"yes"');
  });

  test("env of the user's settings reaches tools, that of a project once it was approved", async () => {
    const { run, project, home, env } = open({
      settings: { ...allow, env: { MINE: "yes" } },
      hooks: {},
      files: { ".claude/settings.json": JSON.stringify({ env: { MINE: "no", THEIRS: "yes", BASH_ENV: "evil.sh" } }) },
    });
    const printed = async () => {
      const calls = [{ tool: "Bash", input: { command: "echo $MINE-$THEIRS-$BASH_ENV" } }];
      const { requests } = await run([{ calls }, { text: "ok" }], { prompt: "go" });
      return /"content":"(.*?)"/.exec(JSON.stringify(requests[1]?.messages.at(-1)))?.[1];
    };
    expect(await printed()).toBe("yes--");
    const review = await reviewTrust({ cwd: project, home, env });
    await review.pin(review.entries);
    expect(await printed()).toBe("yes-yes-");
    writeFileSync(join(project, ".claude/settings.json"), JSON.stringify({ env: { THEIRS: "changed" } }));
    expect(await printed()).toBe("yes--");
  });

  test("the mode of the settings counts from the first event on; one that policy switched off refuses the start", async () => {
    const { run, payloads } = open({
      settings: { permissions: { defaultMode: "acceptEdits", disableBypassPermissionsMode: "disable" } },
    });
    await run([{ text: "ok" }], { prompt: "go" });
    expect(payloads("UserPromptSubmit")[0]).toMatchObject({ permission_mode: "acceptEdits" });
    const bypass = run([{ times: "any", text: "x" }], { prompt: "go", permissionMode: "bypassPermissions" });
    await expect(bypass).rejects.toMatchObject({ code: "host/mode" });
  });

  test("problems of settings and unapproved hooks are reported", async () => {
    const theirs = {
      hooks: { Stop: [{ hooks: [{ type: "command", command: "true" }] }] },
      permissions: { allow: ["Bash(("] },
    };
    const { run } = open({ hooks: {}, files: { ".claude/settings.json": JSON.stringify(theirs) } });
    const { events } = await run([{ text: "ok" }], { prompt: "go" });
    const notices = events.flatMap((event) => (event.kind === "notice" ? [event.text] : []));
    expect(notices).toContainEqual(
      "1 hook of this folder is not approved and will not run; hookline trust shows them.",
    );
  });

  test.each([
    ["says that a changed guard denies", { onFailure: "block" }, ", except that a changed guard denies"],
    ["does not mention guards if only another hook changed", {}, ""],
  ])("the report of unapproved hooks %s", async (_, more, guards) => {
    const settings = (command: string) =>
      JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: "command", command, ...more }] }] } });
    const { run, project, home, env } = open({ hooks: {}, files: { ".claude/settings.json": settings("true") } });
    const review = await reviewTrust({ cwd: project, home, env });
    await review.pin(review.entries);
    writeFileSync(join(project, ".claude/settings.json"), settings("false"));
    const { events } = await run([{ text: "ok" }], { prompt: "go" });
    expect(events.flatMap((event) => (event.kind === "notice" ? [event.text] : []))).toContainEqual(
      `1 hook of this folder is not approved and will not run${guards}; hookline trust shows them.`,
    );
  });

  test("initialUserMessage is a turn of its own, with a result of its own, before the prompt", async () => {
    const { run, payloads } = open({
      hooks: {
        SessionStart: {
          print: { hookSpecificOutput: { hookEventName: "SessionStart", initialUserMessage: "first this" } },
        },
        UserPromptSubmit: {},
        Stop: {},
      },
    });
    const { events } = await run([{ text: "a" }, { text: "b" }], { prompt: "then that" });
    expect(payloads("UserPromptSubmit").map(({ prompt }) => prompt)).toEqual(["first this", "then that"]);
    expect(events.filter(({ kind }) => kind === "result")).toHaveLength(2);
  });

  test("init-only fires Setup, SessionStart and SessionEnd and asks no model", async () => {
    const { run, payloads } = open();
    const { requests, result } = await run([{ times: "any", text: "never" }], { setup: "init-only", prompt: "" });
    expect(requests).toEqual([]);
    expect(result.is_error).toBe(false);
    expect(payloads().map((payload) => payload["hook_event_name"])).toEqual(["Setup", "SessionStart", "SessionEnd"]);
  });

  test("a run without a prompt is refused, after SessionStart", async () => {
    const { run, payloads } = open();
    await expect(run([{ times: "any", text: "never" }], { prompt: " " })).rejects.toMatchObject({
      code: "host/no-prompt",
    });
    expect(payloads().map((payload) => payload["hook_event_name"])).toEqual(["SessionStart", "SessionEnd"]);
  });
});

describe("prompts", () => {
  test("a blocked prompt is never sent; its reason and the original go to the user; the status stays 0", async () => {
    const { run } = open({ hooks: { UserPromptSubmit: { stderr: "no secrets", exit: 2 } } });
    const { result, requests } = await run([{ times: "any", text: "never" }], { prompt: "my secret" });
    expect(requests).toEqual([]);
    expect(result).toMatchObject({ is_error: false, num_turns: 0 });
    expect(result.result).toMatch(
      /^UserPromptSubmit operation blocked by hook:\n\[.*\]: no secrets\n\nOriginal prompt: my secret$/,
    );
  });

  test("the original prompt can be suppressed; continue: false stops with its own reason", async () => {
    const first = open({
      hooks: {
        UserPromptSubmit: {
          print: {
            decision: "block",
            reason: "no",
            hookSpecificOutput: { hookEventName: "UserPromptSubmit", suppressOriginalPrompt: true },
          },
        },
      },
    });
    expect((await first.run([{ times: "any", text: "x" }], { prompt: "p" })).result.result).toBe(
      "UserPromptSubmit operation blocked by hook:\nno",
    );
    first.remove();
    const second = open({ hooks: { UserPromptSubmit: { print: { continue: false, stopReason: "closed" } } } });
    expect((await second.run([{ times: "any", text: "x" }], { prompt: "p" })).result.result).toBe(
      "Operation stopped by hook: closed",
    );
  });

  test("plain text is context, a title names the session", async () => {
    const { run, transcript } = open({
      hooks: {
        UserPromptSubmit: [
          { print: "the weather is fine" },
          { print: { hookSpecificOutput: { hookEventName: "UserPromptSubmit", sessionTitle: "Weather" } } },
        ],
      },
    });
    const { requests, result } = await run([{ text: "a" }], { prompt: "go" });
    expect(JSON.stringify(requests[0]?.messages)).toContain("UserPromptSubmit hook success: the weather is fine");
    expect(transcript(result.session_id)).toContainEqual({
      type: "custom-title",
      customTitle: "Weather",
      sessionId: result.session_id,
    });
  });

  test("a custom command is expanded after its hooks ran; built-in commands submit no prompt", async () => {
    const { run, payloads } = open({
      files: { ".claude/commands/foo.md": "---\ndescription: d\n---\nEXPANDED $ARGUMENTS\n" },
    });
    const { requests } = await run([{ text: "ok" }], { prompt: "/foo bar" });
    expect(payloads("UserPromptExpansion")[0]).toMatchObject({
      expansion_type: "slash_command",
      command_name: "foo",
      command_args: "bar",
      command_source: "projectSettings",
      prompt: "/foo bar",
    });
    expect(payloads("UserPromptSubmit")[0]).toMatchObject({ prompt: "/foo bar" });
    expect(JSON.stringify(requests[0]?.messages)).toContain("EXPANDED bar");
    const { result } = await run([{ times: "any", text: "x" }], { prompt: "/model" });
    expect(result.result).toBe("The model is scripted.");
    expect(payloads("UserPromptSubmit")).toHaveLength(1);
  });

  test("a blocked expansion drops the prompt", async () => {
    const { run } = open({
      files: { ".claude/commands/foo.md": "EXPANDED" },
      hooks: { UserPromptExpansion: { stderr: "not foo", exit: 2 } },
    });
    const { result, requests } = await run([{ times: "any", text: "x" }], { prompt: "/foo" });
    expect(requests).toEqual([]);
    expect(result.result).toContain("UserPromptExpansion operation blocked by hook:");
  });

  test("a command whose hooks could not run is not used, nor is a file that cannot be read; other keys without effect are named", async () => {
    const { run } = open({
      files: {
        ".claude/commands/dep.md": "---\nhooks:\n  Stop: []\n---\nEXPANDED",
        ".claude/skills/odd/SKILL.md": "---\nhooks: [\n---\nEXPANDED",
        ".claude/skills/a/b/SKILL.md": "---\nhooks:\n  Stop: []\n---\nEXPANDED",
        ".claude/commands/fine.md":
          "---\nargument-hint: [number] [priority]\nallowed-tools: Read\nmodel: haiku\n---\nEXPANDED",
        ".claude/commands/half.md": "---\nmodel: [\n---\nEXPANDED",
      },
      hooks: {},
    });
    for (const [prompt, why] of [
      ["/dep", /^\/dep is not used: .*dep\.md has hooks, which .* not for commands\. Make it skills\/dep\/SKILL\.md\./],
      ["/odd", /^\/odd is not used: .*SKILL\.md:2: .* Fix the file\./],
    ] as const) {
      const { result, requests } = await run([{ times: "any", text: "x" }], { prompt });
      expect([requests, result.result]).toEqual([[], expect.stringMatching(why)]);
    }
    const nested = await run([{ text: "x" }], { prompt: "/a:b" });
    expect(JSON.stringify(nested.requests[0]?.messages)).not.toContain("EXPANDED");
    const { requests, events } = await run([{ text: "x" }], { prompt: "/fine" });
    expect(JSON.stringify(requests[0]?.messages)).toContain("EXPANDED");
    const text = expect.stringMatching(/fine\.md: this agent does not honor allowed-tools, model of this file\.$/);
    expect(events).toContainEqual({ kind: "notice", level: "warning", text });
    const half = await run([{ text: "x" }], { prompt: "/half" });
    expect(JSON.stringify(half.requests[0]?.messages)).toContain("EXPANDED");
    const why = expect.stringMatching(/half\.md:\d: .* Fix the file\.$/);
    expect(half.events).toContainEqual({ kind: "notice", level: "warning", text: why });
  });

  test("/clear: SessionEnd has the old id, SessionStart the new one", async () => {
    const { run, payloads } = open({ hooks: { SessionStart: {}, SessionEnd: {} } });
    const { result, requests } = await run([{ text: "a" }, { text: "b" }], {
      onReady: (control) => {
        for (const prompt of ["one", "/clear", "two"]) control.prompt(prompt);
        control.end();
      },
    });
    const ids = payloads().map((payload) => [
      payload["hook_event_name"],
      payload["source"] ?? payload["reason"],
      payload["session_id"] === result.session_id,
    ]);
    expect(ids).toEqual([
      ["SessionStart", "startup", false],
      ["SessionEnd", "clear", false],
      ["SessionStart", "clear", true],
      ["SessionEnd", "other", true],
    ]);
    expect(requests[1]?.messages).toEqual([{ role: "user", content: "two" }]);
  });
});

describe("resuming", () => {
  test("resume appends to the same file, and the model gets the whole conversation with the context of hooks", async () => {
    const { run, transcript, payloads, store } = open({
      settings: allow,
      hooks: {
        PostToolUse: { print: { hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "CTX" } } },
        SessionStart: {},
      },
    });
    const first = await run(
      [
        {
          thinking: "hm",
          text: "Looking.",
          calls: [
            { tool: "Bash", input: { command: "echo one" } },
            { tool: "Bash", input: { command: "echo two" } },
          ],
        },
        { text: "done" },
      ],
      { prompt: "go" },
    );
    const id = first.result.session_id;
    const before = transcript(id).length;
    const second = await run([{ text: "again" }], { prompt: "more", resume: id });
    expect(second.result.session_id).toBe(id);
    expect(transcript(id).slice(0, before)).toHaveLength(before);
    expect(payloads("SessionStart").map(({ source }) => source)).toEqual(["startup", "resume"]);
    const sent = second.requests[0]?.messages ?? [];
    expect(
      flat(sent)
        .filter(({ type }) => type === "tool_result")
        .map(({ content }) => content)
        .sort(),
    ).toEqual(["one", "two"]);
    expect(JSON.stringify(sent)).toContain("PostToolUse:Bash hook additional context: CTX");
    expect(flat(sent).at(-1)).toMatchObject({ text: "more" });
    const place = {
      id,
      root: { path: store, origin: "hookline" as const },
      project: "",
      folder: "",
      file: fileOf(store, id),
    };
    const { findings } = await validateSession(place);
    expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
    const session = await sessionAt({ ...place, folder: join(place.file, "..") });
    expect(session.id).toBe(id);
  });

  test("a fork has a new id, the old file keeps every byte, SessionStart names the original", async () => {
    const { run, payloads, store } = open({ hooks: { SessionStart: {}, Stop: {} } });
    const first = await run([{ text: "a" }], { prompt: "one" });
    const before = readFileSync(fileOf(store, first.result.session_id));
    const second = await run([{ text: "b" }], { prompt: "two", resume: first.result.session_id, fork: true });
    expect(second.result.session_id).not.toBe(first.result.session_id);
    expect(readFileSync(fileOf(store, first.result.session_id)).equals(before)).toBe(true);
    expect(payloads("SessionStart")[1]).toMatchObject({ source: "resume", session_id: first.result.session_id });
    expect(payloads("Stop")[1]).toMatchObject({ session_id: second.result.session_id });
    expect(JSON.stringify(second.requests[0]?.messages)).toContain("one");
  });

  test("--continue takes the latest session of the folder, and fails without one", async () => {
    const { run } = open({ hooks: {} });
    await expect(run([{ times: "any", text: "x" }], { prompt: "p", continueLatest: true })).rejects.toMatchObject({
      code: "sessions/not-found",
    });
    const first = await run([{ text: "a" }], { prompt: "one" });
    const second = await run([{ text: "b" }], { prompt: "two", continueLatest: true });
    expect(second.result.session_id).toBe(first.result.session_id);
  });

  test("a session of another program continues in a fork; the original keeps every byte", async () => {
    const { run, home } = open({ hooks: {} });
    const fixture = join(
      import.meta.dirname,
      "../../../test/fixtures/transcripts/a-plain/11111111-1111-4111-8111-111111111111.jsonl",
    );
    const folder = join(home, ".claude", "projects", "-home-dev-project");
    mkdirSync(folder, { recursive: true });
    const file = join(folder, "11111111-1111-4111-8111-111111111111.jsonl");
    writeFileSync(file, readFileSync(fixture));
    const { result, requests } = await run([{ text: "went on" }], {
      prompt: "and?",
      resume: "11111111-1111-4111-8111-111111111111",
    });
    expect(result.session_id).not.toBe("11111111-1111-4111-8111-111111111111");
    expect(readFileSync(file).equals(readFileSync(fixture))).toBe(true);
    const sent = flat(requests[0]?.messages ?? []);
    expect(sent.filter(({ type }) => type === "tool_use")).toHaveLength(7);
    expect(sent.filter(({ type }) => type === "tool_result")).toHaveLength(7);
  });

  test("a deferred call is decided again under its own id, and the run continues", async () => {
    const defer = `test -e later && exit 0; touch later; echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"defer"}}'`;
    const { run, payloads } = open({ settings: allow, hooks: { PreToolUse: { run: defer } } });
    const first = await run([{ calls: [{ tool: "Bash", input: { command: "echo deferred" } }] }], { prompt: "go" });
    expect(first.result.terminal_reason).toBe("tool_deferred");
    const second = await run([{ text: "finished" }], { prompt: "", resume: first.result.session_id });
    expect(second.result.result).toBe("finished");
    const [one, two] = payloads("PreToolUse");
    expect(two?.["tool_use_id"]).toBe(one?.["tool_use_id"]);
    expect(flat(second.requests[0]?.messages ?? []).filter(({ type }) => type === "tool_result")).toMatchObject([
      { content: "deferred" },
    ]);
    expect(JSON.stringify(second.requests[0]?.messages.at(-1))).toContain("Continue from where you left off.");
  });

  const deferOutput = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "defer" } };
  const resultsIn = (messages: Parameters<typeof flat>[0] = []) =>
    flat(messages).filter(({ type }) => type === "tool_result");

  test("a deferred call that is interrupted before it is decided again has a result, and the next prompt runs", async () => {
    const { run, project } = open({ settings: allow, hooks: { PreToolUse: { print: deferOutput } } });
    const first = await run([{ calls: [{ tool: "Bash", input: { command: "touch ran" } }] }], { prompt: "go" });
    const second = await run([{ text: "answered" }], {
      prompt: "next",
      resume: first.result.session_id,
      onReady: (control) => {
        control.on("SessionStart", undefined, async () => control.interrupt());
      },
    });
    expect([second.result.result, existsSync(join(project, "ran"))]).toEqual(["answered", false]);
    const interrupted = [{ content: "[Request interrupted by user for tool use]", is_error: true }];
    expect(resultsIn(second.requests[0]?.messages)).toMatchObject(interrupted);
    const third = await run([{ text: "again" }], { prompt: "again", resume: first.result.session_id });
    expect([third.result.result, third.requests.length]).toEqual(["again", 1]);
    expect(resultsIn(third.requests[0]?.messages)).toMatchObject(interrupted);
  });

  test("deferred calls are decided before prompts of the program and of a SessionStart hook", async () => {
    const defer = `test -e later && exit 0; touch later; echo '${JSON.stringify(deferOutput)}'`;
    const start = { hookSpecificOutput: { hookEventName: "SessionStart", initialUserMessage: "of the hook" } };
    const { run } = open({
      settings: allow,
      hooks: { PreToolUse: { run: defer }, SessionStart: { run: "test -e later || exit 0", print: start } },
    });
    const first = await run([{ calls: [{ tool: "Bash", input: { command: "echo deferred" } }] }], { prompt: "go" });
    const { requests } = await run([{ times: 3, text: "ok" }], {
      resume: first.result.session_id,
      onReady: (control) => {
        control.prompt("of the program");
        control.end();
      },
    });
    expect(requests.map(({ messages }) => resultsIn(messages).length)).toEqual([1, 1, 1]);
    const last = requests.map(({ messages }) => JSON.stringify(messages.at(-1)));
    expect(last).toMatchObject(
      ["Continue from", "of the hook", "of the program"].map((text) => expect.stringContaining(text)),
    );
  });

  test("an interrupt of a batch gives its deferred call a result too", async () => {
    const { run, project } = open({ settings: allow, hooks: { PreToolUse: { matcher: "Read", print: deferOutput } } });
    const calls = [
      { tool: "Read", input: { file_path: join(project, "a") } },
      { tool: "Bash", input: { command: "touch started; sleep 600" } },
    ];
    const { result, requests } = await run([{ calls }, { text: "answered" }], {
      onReady: (control) => {
        control.prompt("go");
        control.prompt("next");
        control.end();
        void until("the command runs", () => existsSync(join(project, "started"))).then(() => control.interrupt());
      },
    });
    expect(result.result).toBe("answered");
    expect(resultsIn(requests[1]?.messages)).toHaveLength(2);
  });
});

describe("what it writes", () => {
  test("the registry names the session while it runs and not after; one process per session", async () => {
    const { run, store } = open({ settings: allow, hooks: {} });
    const seen: Record<string, unknown>[] = [];
    const second: { error?: unknown } = {};
    const { result } = await run([{ calls: [{ tool: "Bash", input: { command: "true" } }] }, { text: "ok" }], {
      prompt: "go",
      name: "mine",
      observe: (event) => {
        const file = join(store, "sessions", `${process.pid}.json`);
        if (event.kind === "assistant" && existsSync(file)) seen.push(JSON.parse(readFileSync(file, "utf8")));
      },
    });
    expect(seen[0]).toMatchObject({
      pid: process.pid,
      sessionId: result.session_id,
      kind: "print",
      entrypoint: "hookline",
      name: "mine",
      status: "busy",
      procStart: expect.any(String),
    });
    expect(readdirSync(join(store, "sessions"))).toEqual([]);
    await run([{ text: "x" }], {
      resume: result.session_id,
      onReady: async (control) => {
        await run([{ times: "any", text: "y" }], { prompt: "p", resume: result.session_id }).catch((error: unknown) => {
          second.error = error;
        });
        control.prompt("fine");
        control.end();
      },
    });
    expect(second.error).toMatchObject({
      code: "sessions/live",
      message: expect.stringContaining(String(process.pid)),
    });
  });

  test("--no-session-persistence writes nothing; payloads still name the path", async () => {
    const { run, payloads, store } = open();
    const { result } = await run([{ text: "ok" }], { prompt: "go", persist: false });
    expect(existsSync(store)).toBe(false);
    expect(payloads("Stop")[0]).toMatchObject({
      transcript_path: expect.stringContaining(`${result.session_id}.jsonl`),
    });
  });

  test("an id must be a UUID that no session has", async () => {
    const { run } = open({ hooks: {} });
    const sessionId = "22222222-2222-4222-8222-222222222222";
    await expect(run([{ times: "any", text: "x" }], { prompt: "p", sessionId: "mine" })).rejects.toMatchObject({
      code: "host/bad-session-id",
    });
    expect((await run([{ text: "x" }], { prompt: "p", sessionId })).result.session_id).toBe(sessionId);
    await expect(run([{ times: "any", text: "x" }], { prompt: "p", sessionId })).rejects.toMatchObject({
      code: "sessions/exists",
    });
  });

  test("transcripts are private and name the program that wrote them", async () => {
    const { run, transcript, store } = open({ hooks: {} });
    const { result } = await run([{ text: "x" }], { prompt: "p" });
    expect(statSync(fileOf(store, result.session_id)).mode & 0o777).toBe(0o600);
    for (const line of transcript(result.session_id).filter(({ uuid }) => uuid !== undefined))
      expect(line).toMatchObject({ entrypoint: "hookline", version: "0.0.0-test", userType: "external" });
  });
});

test("a transcript has Hookline's version unless another one is passed", async () => {
  const { run, transcript } = open({ hooks: {} });
  const { result } = await run([{ text: "x" }], { prompt: "p", version: undefined } as unknown as RunAgentOptions);
  const versions = transcript(result.session_id).flatMap(({ version }) => version ?? []);
  expect([...new Set(versions)]).toEqual([packageVersion()]);
});

describe("the end", () => {
  test("what a failed SessionEnd hook wrote to stderr is shown", async () => {
    const { run } = open({ hooks: { SessionEnd: { stderr: "could not save", exit: 1 } } });
    const { events } = await run([{ text: "x" }], { prompt: "p" });
    expect(events).toContainEqual(
      expect.objectContaining({
        kind: "notice",
        level: "error",
        text: expect.stringMatching(/SessionEnd hook \[.*\] failed: could not save/),
      }),
    );
  });

  test("a transcript that can no longer be written ends the run with a message; SessionEnd still fires", async () => {
    const { run, payloads, store } = open({ settings: allow, hooks: { SessionEnd: {} } });
    const broken = run([{ calls: [{ tool: "Bash", input: { command: "true" } }] }, { times: "any", text: "never" }], {
      prompt: "go",
      observe: (event) => {
        if (event.kind !== "assistant") return;
        const [project = ""] = readdirSync(join(store, "projects"));
        const folder = join(store, "projects", project);
        const [file = ""] = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
        rmSync(join(folder, file));
        mkdirSync(join(folder, file));
      },
    });
    await expect(broken).rejects.toMatchObject({
      code: "host/not-written",
      message: expect.stringContaining("cannot be written"),
    });
    expect(payloads("SessionEnd")).toHaveLength(1);
    expect(readdirSync(join(store, "sessions"))).toEqual([]);
  });

  test("an untrusted project's hooks never run, headless included; its deny rules count", async () => {
    const { run, project } = open({
      settings: allow,
      hooks: {},
      files: {
        ".claude/settings.json": JSON.stringify({
          hooks: { SessionStart: [{ hooks: [{ type: "command", command: "touch canary" }] }] },
          permissions: { allow: ["Write"], deny: ["Bash(touch *)"], defaultMode: "acceptEdits" },
        }),
      },
    });
    const { requests, events } = await run(
      [
        {
          calls: [
            { tool: "Bash", input: { command: "touch x" } },
            { tool: "Write", input: { file_path: join(project, "y"), content: "z" } },
          ],
        },
        { text: "ok" },
      ],
      { prompt: "go" },
    );
    expect(readdirSync(project)).toEqual([".claude"]);
    expect(flat(requests[1]?.messages ?? []).filter(({ type }) => type === "tool_result")).toMatchObject([
      { is_error: true },
      { is_error: true },
    ]);
    expect(
      events.some((event) => event.kind === "outcome" && event.outcome.skipped.some(({ why }) => why === "trust")),
    ).toBe(true);
  });
});

type Loose = { type: string; content?: unknown; text?: string };

function flat(messages: readonly { content: unknown }[]): Loose[] {
  return messages.flatMap(({ content }) =>
    typeof content === "string" ? [{ type: "text", text: content }] : (content as Loose[]),
  );
}

function fileOf(store: string, id: string): string {
  const [folder = ""] = readdirSync(join(store, "projects")).filter((name) =>
    existsSync(join(store, "projects", name, `${id}.jsonl`)),
  );
  return join(store, "projects", folder, `${id}.jsonl`);
}

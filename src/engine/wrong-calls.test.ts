import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { dist } from "../files/fixtures/programs.ts";
import { catalog } from "../protocol/internal.ts";
import { type EngineOptions, openEngine, openRules } from "./internal.ts";

const call = { tool_name: "Bash", tool_input: { command: "ls" } };
const home = realpathSync(mkdtempSync(join(tmpdir(), "hookline-wrong-calls-")));
const opened = (more: EngineOptions = {}) => openEngine({ home, cwd: home, managedFolder: home, env: {}, ...more });

function* yields() {
  yield { kind: "deny", reason: "no" };
}
async function* yieldsLater() {
  yield { kind: "deny", reason: "no" };
}

/** A checkout whose settings bring a hook. */
function checkout(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-checkout-")));
  const hooks = { PreToolUse: [{ hooks: [{ type: "command", command: "exit 2" }] }] };
  mkdirSync(join(folder, ".claude"));
  writeFileSync(join(folder, ".claude/settings.json"), JSON.stringify({ hooks }));
  return folder;
}

describe("a checkout's settings never count as the user's own", () => {
  test("when the option home or claudeHome is empty or relative", async () => {
    for (const wrong of [{ home: "" }, { home: "." }, { claudeHome: "" }, { claudeHome: ".claude" }])
      await expect(opened(wrong)).rejects.toThrow(/\w+ of openEngine must be an absolute path/);
  });

  test("when HOME or CLAUDE_CONFIG_DIR is relative", async () => {
    for (const env of [{ HOME: "." }, { HOME: "/home/ana", CLAUDE_CONFIG_DIR: ".claude" }])
      await expect(openEngine({ cwd: checkout(), managedFolder: home, env })).rejects.toMatchObject({
        code: "engine/bad-option",
        message: expect.stringMatching(/^(HOME|CLAUDE_CONFIG_DIR) in the environment must be an absolute path, not/),
      });
  });

  test("when HOME is empty: the system's entry for the user counts", () => {
    const env = { PATH: process.env["PATH"], HOME: "" };
    const words = [join(dist, "cli/bin.cjs"), "list", "--json"];
    const { stdout, stderr } = spawnSync(process.execPath, words, { cwd: checkout(), env, encoding: "utf8" });
    expect(stderr).toBe("");
    const { hooks } = JSON.parse(stdout) as { hooks: { hook: { name: string; source: string }; trust: string }[] };
    const brought = hooks.filter(({ hook }) => hook.name === "exit 2");
    expect(brought.map(({ hook, trust }) => [hook.source, trust])).toEqual([["project", "new"]]);
  });
});

describe("an answer of a handler with a typo never passes silently", () => {
  const answered = async (answer: unknown) => {
    const engine = await opened();
    engine.on("PreToolUse", () => answer as never);
    const outcome = await engine.fire("PreToolUse", call);
    await engine.close();
    return [outcome.decision, outcome.warnings.map(({ code }) => code).filter((code) => code !== "payload-incomplete")];
  };

  test.each([
    { knd: "deny", reason: "r" },
    { type: "deny", reason: "r" },
    { decison: "block", reason: "r" },
    { hookSpecificOutput: { hookEventName: "PreToolUse", permisionDecision: "deny" } },
  ])("a deny that can be read out of %j counts", async (answer) => {
    expect(await answered(answer)).toEqual(["deny", expect.arrayContaining(["output-repaired"])]);
  });

  test.each([
    [{ kidn: "deny", reason: "r" }, 'kidn: "deny" at the top of the object'],
    [{ behavior: "deny", reason: "r" }, 'behavior: "deny" at the top of the object'],
  ])(
    "the warning about %j quotes what was returned and names event and matcher of the handler",
    async (answer, quoted) => {
      const engine = await opened();
      engine.on("PreToolUse", "Bash", () => answer as never);
      const { reason, warnings } = await engine.fire("PreToolUse", call);
      await engine.close();
      const message = `Hook callback on PreToolUse [Bash] returned a value with a fault; its deny still counts (it was returned as ${quoted}).`;
      expect([reason, warnings.find(({ code }) => code === "output-repaired")?.message]).toEqual(["r", message]);
    },
  );

  test("the failure of a handler without a name names its event and matcher", async () => {
    const engine = await opened();
    const fails = () => {
      throw new Error("boom");
    };
    engine.on("PreToolUse", "Bash", () => fails());
    engine.on("PreToolUse", fails);
    const { warnings } = await engine.fire("PreToolUse", call);
    await engine.close();
    const failures = warnings.filter(({ code }) => code === "hook-failed").map(({ message }) => message);
    expect(failures).toEqual([
      "Hook callback on PreToolUse [Bash] failed: boom. The operation continues.",
      "Hook fails failed: boom. The operation continues.",
    ]);
  });

  test.each([
    { kind: "allow", inptu: { command: "true" } },
    { kind: "allow", updatedInput: { command: "true" } },
    {
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "allow",
        updatedinput: { command: "true" },
      },
    },
  ])("an allow with a field that no answer has is a failed run: %j", async (answer) => {
    expect(await answered(answer)).toEqual(["none", ["output-invalid", "hook-failed"]]);
  });

  test.each([
    ["a Map", new Map([["kind", "deny"]])],
    ["an Error", new Error("no")],
    ["a Date", new Date(0)],
    ["a Set", new Set([{ kind: "deny", reason: "no" }])],
    ["a Response", new Response('{"kind":"deny"}')],
    ["a generator", yields()],
    ["an async generator", yieldsLater()],
    ["an object that inherits an allow", Object.create({ kind: "allow" })],
    [
      "an object without a constructor",
      Object.create(Object.create(Object.create(null, { kind: { value: "allow" } }))),
    ],
    ["a Map with a field", Object.assign(new Map([["kind", "deny"]]), { continue: true })],
    ["a reason without a decision", { reason: "r", decide: "no" }],
    [
      "an object whose getter throws",
      {
        get kind() {
          throw new Error("no");
        },
      },
    ],
  ])("%s is a failed run", async (_, answer) => {
    expect(await answered(answer)).toEqual(["none", ["output-invalid", "hook-failed"]]);
  });

  test.each([
    ["an empty object", {}],
    ["an empty object without a prototype", Object.create(null)],
    ["an empty object of another realm", runInNewContext("({})")],
  ])("%s means no opinion", async (_, answer) => {
    expect(await answered(answer)).toEqual(["none", []]);
  });

  test.each([
    ["an object that inherits its fields", Object.create({ kind: "deny", reason: "no" })],
    ["a field that is not enumerable", Object.defineProperty(new (class Answer {})(), "kind", { value: "deny" })],
    [
      "an instance whose fields are getters of its class",
      new (class Answer {
        get decision() {
          return "block";
        }
        get reason() {
          return "no";
        }
      })(),
    ],
  ])("a denial in %s counts", async (_, answer) => {
    expect((await answered(answer))[0]).toBe("deny");
  });

  test("the failure names the type of what was returned", async () => {
    const engine = await opened();
    engine.on("PreToolUse", yields as never, { onFailure: "block" });
    const { decision, reason } = await engine.fire("PreToolUse", call);
    await engine.close();
    expect([decision, reason]).toEqual(["deny", expect.stringContaining("returned a value of type Generator")]);
  });
});

describe("a wrong call is refused by name", () => {
  test("an option that an event does not have, and a value that is not a signal, are refused", async () => {
    const engine = await opened();
    const fire = (options: object) => engine.fire("PreToolUse", call, options);
    await expect(fire({ sginal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "engine/bad-option",
      message: 'fire has no option "sginal". Did you mean signal?',
    });
    await expect(fire({ signal: 1 })).rejects.toMatchObject({ code: "engine/bad-option" });
    await engine.close();
  });

  test("a rewrittenFrom that is not an object is refused, because no hook would run", async () => {
    const engine = await opened();
    engine.on("PreToolUse", () => ({ kind: "deny", reason: "no" }));
    for (const rewrittenFrom of ["ls", null, 7, ["ls"]])
      await expect(engine.fire("PreToolUse", call, { rewrittenFrom } as never)).rejects.toMatchObject({
        code: "engine/bad-option",
        message: expect.stringMatching(/^The option rewrittenFrom of fire must be an object, not /),
      });
    await engine.close();
  });

  test("a progress listener without everyMs or tell is refused", async () => {
    const engine = await opened();
    const tell = () => undefined;
    for (const progress of [tell, { tell }, { everyMs: 20 }, { everyMs: "20", tell }, { everyms: 20, tell }, null])
      await expect(engine.fire("PreToolUse", call, { progress } as never)).rejects.toMatchObject({
        code: "engine/bad-option",
        message: expect.stringMatching(/^The option progress of fire must be an object with everyMs, .+ and tell\(\)/),
      });
    await engine.close();
  });

  test("an option that close, reload, stream or openRules does not have is refused under the name of the function", async () => {
    const engine = await opened();
    const refusal = (message: string) => expect.objectContaining({ code: "engine/bad-option", message });
    await expect(engine.close({ wait: 3 } as object)).rejects.toEqual(
      refusal('engine.close has no option "wait". Did you mean waitMs?'),
    );
    await expect(engine.close({ waitMs: "3" } as never)).rejects.toMatchObject({ code: "engine/bad-option" });
    await expect(engine.reload({ writen: [] } as object)).rejects.toEqual(
      refusal('engine.reload has no option "writen". Did you mean written?'),
    );
    await expect(engine.reload({ written: "x" } as never)).rejects.toMatchObject({ code: "engine/bad-option" });
    expect(() => engine.stream("PreToolUse", call, { sginal: 1 } as object)).toThrow(
      refusal('stream has no option "sginal". Did you mean signal?'),
    );
    await expect(openRules({ hom: home } as object)).rejects.toEqual(
      refusal('openRules has no option "hom". Did you mean home?'),
    );
    expect((await engine.fire("PreToolUse", call)).decision).toBe("none");
    await engine.close();
  });

  test("hasHookFor and budgetMs refuse an event that does not exist", async () => {
    const engine = await opened({ events: [{ ...catalog.TaskCreated, name: "Deploy" }] });
    for (const ask of [engine.hasHookFor, engine.budgetMs]) {
      const asked = ask as (event: string) => unknown;
      expect(() => asked("PreToolUs")).toThrow(
        expect.objectContaining({
          code: "event/unknown",
          message: expect.stringContaining('Did you mean "PreToolUse"?'),
        }),
      );
      expect(asked("Deploy")).toBe(ask === engine.hasHookFor ? false : undefined);
    }
    await engine.close();
  });

  test("an event under an aborted signal rejects with its reason, also where no hook is due", async () => {
    const engine = await opened();
    const reason = new Error("mine");
    await expect(engine.fire("PreToolUse", call, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    await engine.close();
  });

  test("a hook that is not an object is refused", async () => {
    const engine = await opened();
    expect(() => engine.stopHooks.add(undefined as never)).toThrow("A hook of Stop must be an object.");
    expect(() => engine.session("s").register("Stop", undefined, null as never)).toThrow(
      "A hook of Stop must be an object.",
    );
    await engine.close();
  });

  test("a session without an id is refused, because its hooks would never run", async () => {
    const engine = await opened();
    for (const id of [undefined, "", 5, null]) {
      expect(() => engine.session(id as never)).toThrow(/^A session id must be a non-empty string, not/);
    }
    await engine.close();
  });

  test("a stop hook for a closed engine is refused", async () => {
    const engine = await opened();
    await engine.close();
    const hook = { type: "function", function: () => true, errorMessage: "m" } as const;
    expect(() => engine.stopHooks.add(hook)).toThrow("This engine is closed");
  });

  test("a start folder with a NUL in its name is refused", async () => {
    await expect(opened({ cwd: "a\0b" })).rejects.toMatchObject({ code: "engine/bad-option" });
  });
});

test("an option that on does not take is refused by name: a guard may rely on it", async () => {
  const engine = await opened();
  const on = engine.on as (...given: readonly unknown[]) => unknown;
  for (const options of [{ timout: 1 }, { timeout: 1, if: "Bash(ls)" }, "x", 5, new Map([["onFailure", "block"]])]) {
    const problem = expect.objectContaining({
      code: "hook/invalid",
      message: expect.stringContaining("engine.on"),
    });
    expect(() => on("PreToolUse", () => undefined, options)).toThrow(problem);
    expect(() => on("PreToolUse", "Bash", () => undefined, options)).toThrow(problem);
  }
  expect(() => on("PreToolUse", () => undefined, { onfailure: "block" })).toThrow(
    'engine.on has no option "onfailure". Did you mean onFailure?',
  );
  expect(() => on("PreToolUse", () => undefined, { onFailure: "blok" })).toThrow('"continue" or "block", not "blok"');
  expect((await engine.fire("PreToolUse", call)).runs).toEqual([]);
  on("PreToolUse", () => ({ kind: "deny", reason: "no" }), { timeout: 1 });
  expect((await engine.fire("PreToolUse", call)).decision).toBe("deny");
  await engine.close();
});

test("a registered hook with onError is refused, and the message names onFailure", async () => {
  const engine = await opened();
  const hook = { type: "callback", callback: () => undefined, onError: "block" };
  expect(() => engine.session("s").register("PreToolUse", undefined, hook as never)).toThrow(
    'A hook of PreToolUse has the key "onError", which has no effect. Did you mean "onFailure"?',
  );
  await engine.close();
});

test("an argument after the options of on is refused: it may be the policy of a guard", async () => {
  const engine = await opened();
  const on = engine.on as (...given: readonly unknown[]) => unknown;
  const guard = () => undefined;
  const policy = { onFailure: "block" };
  for (const given of [
    [guard, undefined, policy],
    [guard, { timeout: 5 }, policy],
    ["Bash", guard, { timeout: 5 }, policy],
  ]) {
    expect(() => on("PreToolUse", ...given)).toThrow(
      expect.objectContaining({
        code: "hook/invalid",
        message: expect.stringContaining(
          "engine.on got too many arguments for PreToolUse: on(event, handler, options)",
        ),
      }),
    );
  }
  on("PreToolUse", guard, policy, undefined);
  expect((await engine.fire("PreToolUse", call)).runs).toHaveLength(1);
  await engine.close();
});

describe("an entry of settings that cannot be used", () => {
  const settings = (PreToolUse: unknown) => [JSON.stringify({ hooks: { PreToolUse } })];
  const hook = { type: "command", command: "exit 2" };

  test.each([
    [
      "a misspelled type",
      [{ matcher: "Bash", hooks: [{ ...hook, type: "comand" }] }],
      "comand",
      "exit 2",
      /type is unknown: "comand". Did you mean "command"\?$/,
    ],
    [
      "a command hook without its command",
      [{ hooks: [{ type: "command" }] }],
      "command",
      "hooks.PreToolUse[0].hooks[0]",
      /command is missing$/,
    ],
    [
      "an http hook without a password in its name",
      [{ hooks: [{ type: "htp", url: "https://a:b@c.d/" }] }],
      "htp",
      "https://…@c.d/",
      /Did you mean "http"/,
    ],
    ["a hook where a group is expected", [hook], "command", "exit 2", /it is a hook where a group is expected/],
    [
      "a misspelled list of hooks",
      [{ hook: [hook] }],
      "unknown",
      "hooks.PreToolUse[0]",
      /hooks is missing; "hook" looks like it$/,
    ],
    ["a list that is an object", { hooks: [hook] }, "unknown", "hooks.PreToolUse", /it must be a list of groups/],
  ])("is listed, explained and skipped: %s", async (_, groups, type, name, why) => {
    const engine = await opened({ settings: settings(groups) });
    const listed = engine.list().map(({ hook, problems }) => [hook.type, hook.name, problems.map(({ code }) => code)]);
    expect(listed).toEqual([[type, name, ["hook-invalid"]]]);
    const skip = { hook: engine.list()[0]?.hook, why: "unsupported", detail: expect.stringMatching(why) };
    const { hooks } = engine.explain("PreToolUse", call);
    expect(hooks).toEqual([{ ...skip, runs: false }]);
    expect((await engine.fire("PreToolUse", call)).skipped).toEqual([skip]);
    engine.on("PreToolUse", () => undefined);
    const { runs, skipped } = await engine.fire("PreToolUse", call);
    expect([runs.length, skipped]).toEqual([1, [skip]]);
    await engine.close();
  });

  test("is of the event it was written for, and of no other", async () => {
    const engine = await opened({ settings: settings([hook]) });
    expect((await engine.fire("Stop", {})).skipped).toEqual([]);
    await engine.close();
  });
});

import { expect, test } from "vitest";
import { catalog, type EventRow } from "../../protocol/internal.ts";
import type { HandledEvent } from "../../sdk/internal.ts";
import { endpoint, guard, consent as httpConsent, stop } from "../fixtures/world.ts";
import { hookCommands, shellLine } from "./hook-command.ts";
import { type PlanOptions, planEntries } from "./plan-entries.ts";

const calls = hookCommands({
  scope: "project",
  root: "/p",
  hooksFile: "/p/.claude/hooks.ts",
  packageRoot: "/p/node_modules/hookline",
  node: "/usr/bin/node",
});
const usual: PlanOptions = { scope: "project", transport: "auto", allEvents: false, calls, endpoint };
const plan = (needs: readonly HandledEvent[], options: Partial<PlanOptions> = {}) =>
  planEntries(needs, { ...usual, ...options });
const transports = (needs: readonly HandledEvent[], options: Partial<PlanOptions> = {}) =>
  Object.fromEntries(plan(needs, options).map(({ event, transport }) => [event, transport]));
const note: HandledEvent = { ...stop, event: "Notification", ids: ["Notification"] };
const post: HandledEvent = { ...guard, event: "PostToolUse", ids: ["PostToolUse"], onFailure: "continue" };

test("each event has one entry, with its mode, a timeout after the deadline, and paths from the project's folder", () => {
  expect(plan([stop, guard], { transport: "run" })).toEqual([
    {
      event: "PreToolUse",
      transport: "run",
      group: {
        matcher: "Bash|Write",
        hooks: [
          {
            type: "command",
            command: "node",
            args: [
              "${CLAUDE_PROJECT_DIR}/node_modules/hookline/dist/cli/bin.cjs",
              "run",
              "${CLAUDE_PROJECT_DIR}/.claude/hooks.ts",
              "--on-failure",
              "block",
              "--event",
              "PreToolUse",
            ],
            timeout: 45,
            onFailure: "block",
          },
        ],
      },
    },
    {
      event: "Stop",
      transport: "run",
      group: { hooks: [expect.objectContaining({ timeout: 8, args: expect.arrayContaining(["continue"]) })] },
    },
  ]);
});

test("a guard's run entry goes through sh, which refuses when Node fails in any way; without sh it calls Node directly", () => {
  const programs = (options: Partial<PlanOptions>) =>
    plan([stop, guard], { transport: "run", ...options }).map(({ event, group: { hooks } }) => [
      event,
      hooks[0].type === "command" ? hooks[0].command : "",
    ]);
  expect(programs({ sh: true })).toEqual([
    ["PreToolUse", "sh"],
    ["Stop", "node"],
  ]);
  expect(programs({ sh: false })).toEqual([
    ["PreToolUse", "node"],
    ["Stop", "node"],
  ]);
});

test("auto never uses http: every event goes through the client, or through run where the client cannot work", () => {
  for (const scope of ["project", "local", "user"] as const)
    for (const allEvents of [false, true]) {
      const chosen = Object.values(transports([guard, stop, post, note], { scope, allEvents, httpConsent }));
      expect([scope, new Set(chosen)]).toEqual([scope, new Set(["client"])]);
    }
  expect(transports([stop, post], { scope: "user", cold: "there is no bash in PATH", httpConsent })).toEqual({
    Stop: "run",
    PostToolUse: "run",
  });
});

test("http is used only on request, and never where an answer is an exit code or a daemon is revived", () => {
  expect(transports([guard, stop, note], { scope: "user", transport: "http", httpConsent })).toEqual({
    SessionStart: "client",
    UserPromptSubmit: "client",
    PreToolUse: "http",
    Notification: "http",
    Stop: "http",
  });
});

test("an http entry for an event that decides needs --allow-http-decisions, and the message names the events", () => {
  const http = { scope: "user", transport: "http", tokenEnv: "T" } as const;
  for (const needs of [[guard], [stop], [post], [note, guard]])
    expect(() => plan(needs, http)).toThrow(expect.objectContaining({ code: "install/http-decides" }));
  expect(() => plan([note, guard, stop], http)).toThrow(
    /decides PreToolUse, Stop and gets the token.*--allow-http-decisions/,
  );
  expect(() => plan([note], { ...http, allEvents: true })).toThrow(/--allow-http-decisions/);
  expect(transports([note], http)).toMatchObject({ Notification: "http" });
  expect(transports([guard], { ...http, httpConsent: { decisions: true } })).toMatchObject({ PreToolUse: "http" });
});

test("a token is written into settings only with --literal-token", () => {
  const http = { scope: "user", transport: "http" } as const;
  expect(() => plan([note], http)).toThrow(expect.objectContaining({ code: "install/literal-token" }));
  expect(() => plan([guard], { ...http, httpConsent: { decisions: true } })).toThrow(
    /--token-env NAME.*--literal-token/,
  );
  expect(JSON.stringify(plan([note], { ...http, httpConsent: { literalToken: true } }))).toContain("Bearer t0ken");
  expect(JSON.stringify(plan([note], { ...http, tokenEnv: "T" }))).not.toContain("t0ken");
});

test("the timeout of an entry is longer than the deadline, and under block longer than the deadline and the limit of a load", () => {
  const timeoutOf = (onFailure: "block" | "continue") =>
    plan([{ ...post, onFailure, deadlineMs: 300 }], { scope: "user", transport: "run" }).map(
      ({ group }) => group.hooks[0].timeout,
    );
  expect([timeoutOf("continue"), timeoutOf("block")]).toEqual([[6], [16]]);
});

test("an http entry carries mode and token; with a variable, the token is in no file", () => {
  const http = { scope: "user", transport: "http", httpConsent } as const;
  const [entry] = plan([post], http).slice(-1);
  expect(entry?.group.hooks[0]).toEqual({
    type: "http",
    url: `${endpoint.url}?on-failure=continue&daemon`,
    headers: { Authorization: "Bearer t0ken" },
    timeout: 35,
  });
  const [named] = plan([post], { ...http, tokenEnv: "HOOKS_TOKEN" }).slice(-1);
  expect(named?.group.hooks[0]).toMatchObject({
    headers: { Authorization: "Bearer $HOOKS_TOKEN" },
    allowedEnvVars: ["HOOKS_TOKEN"],
  });
  expect(JSON.stringify(named)).not.toContain("t0ken");
});

test("options that contradict each other are refused", () => {
  const display: HandledEvent = { ...stop, event: "MessageDisplay", ids: ["MessageDisplay"] };
  const refusals: [Partial<PlanOptions>, string][] = [
    [{ transport: "http" }, "install/http-in-project"],
    [{ transport: "run", allEvents: true }, "install/not-warm"],
    [{ transport: "client", cold: "there is no bash in PATH" }, "install/not-warm"],
    [{ transport: "run" }, "install/slow-display"],
  ];
  for (const [options, code] of refusals)
    expect(() => plan([display], options)).toThrow(expect.objectContaining({ code }));
  expect(transports([display], { transport: "run", force: true })).toEqual({ MessageDisplay: "run" });
});

test("--all-events has every event of the catalog and no matcher; unknown events come last", () => {
  const own: HandledEvent = { ...stop, event: "Later", ids: ["Later"] };
  const entries = plan([own, guard], { allEvents: true });
  expect(entries.map(({ event }) => event)).toEqual([...Object.keys(catalog), "Later"]);
  expect(entries.filter(({ group }) => group.matcher !== undefined)).toEqual([]);
});

test("no event gets an entry of a type that it does not take", () => {
  const rows: Readonly<Record<string, EventRow>> = catalog;
  const wrong = plan([guard], { scope: "user", transport: "http", allEvents: true, httpConsent }).filter(
    ({ event, group }) => !rows[event]?.types.includes(group.hooks[0].type),
  );
  expect(wrong).toEqual([]);
});

test("for hosts without args the call becomes one line that a shell reads as the same arguments", () => {
  const words = ["${CLAUDE_PROJECT_DIR}/a b/it's", "$x", 'q"q', "plain/é"];
  expect(shellLine(words)).toBe(`"$CLAUDE_PROJECT_DIR"'/a b/it'\\''s' '$x' 'q"q' 'plain/é'`);
  const [entry] = plan([stop], { transport: "run", shellForm: true });
  expect(entry?.group.hooks[0]).toEqual({
    type: "command",
    command:
      'node "$CLAUDE_PROJECT_DIR"/node_modules/hookline/dist/cli/bin.cjs run "$CLAUDE_PROJECT_DIR"/.claude/hooks.ts --on-failure continue --event Stop',
    timeout: 8,
  });
});

test("a committed entry cannot name a file outside the project; others name it as it is", () => {
  const outside = { root: "/p", hooksFile: "/q/hooks.ts", packageRoot: "/x/hookline", node: "/usr/bin/node" };
  expect(() => hookCommands({ ...outside, scope: "project" })).toThrow(
    expect.objectContaining({ code: "install/outside-project" }),
  );
  const odd = { ...outside, hooksFile: "/p/..hooks/a.ts", packageRoot: "/p/node_modules/hookline" };
  expect(hookCommands({ ...odd, scope: "project" }).client[1]).toBe("${CLAUDE_PROJECT_DIR}/..hooks/a.ts");
  expect(hookCommands({ ...outside, scope: "local" }).client).toEqual([
    "/x/hookline/client/hookline-client",
    "/q/hooks.ts",
  ]);
});

import { resolve } from "node:path";
import { expect, test } from "vitest";
import { openWorld } from "../../src/agent/fixtures/agent-run.ts";
import type { RunAgentOptions } from "../../src/agent/internal.ts";
import { bash, expectRecorded, heard, resultsIn, specific } from "./stage.ts";

const program = resolve(import.meta.dirname, "../../src/agent/mcp/fixtures/stdio-server.mjs");
const mcpConfig = [JSON.stringify({ mcpServers: { srv: { command: process.execPath, args: [program] } } })];
const asking: Partial<RunAgentOptions> = { prompt: "go", mcpConfig, permissionMode: "bypassPermissions" };
const script = [{ calls: [{ tool: "mcp__srv__ask_user", input: {} }] }, { text: "ok" }];

/** What the server was answered, as its tool tells it. */
function elicited(request: Parameters<typeof resultsIn>[0]): unknown {
  const blocks = (resultsIn(request)[0]?.content ?? []) as { text: string }[];
  return JSON.parse(blocks[0]?.text ?? "{}");
}

test("Elicitation: a hook's answer reaches the server, and the user is not asked", async () => {
  const world = openWorld({
    hooks: {
      Elicitation: { print: specific("Elicitation", { action: "accept", content: { name: "Ada-MARK" } }) },
      ElicitationResult: {},
    },
  });
  const { requests } = await world.run(script, asking);
  expectRecorded("Elicitation", world.payloads("Elicitation")[0]);
  expect(elicited(requests[1])).toEqual({ elicited: { action: "accept", content: { name: "Ada-MARK" } } });
  expect(world.payloads("ElicitationResult")).toEqual([]);
});

test("ElicitationResult: the user's answer can be replaced; without a user the form is cancelled", async () => {
  const world = openWorld({
    hooks: {
      ElicitationResult: { print: specific("ElicitationResult", { action: "accept", content: { name: "Eve" } }) },
    },
  });
  const { requests } = await world.run(script, asking);
  expectRecorded("ElicitationResult", world.payloads("ElicitationResult")[0]);
  expect(world.payloads("ElicitationResult")[0]).toMatchObject({ mcp_server_name: "srv", action: "cancel" });
  expect(elicited(requests[1])).toEqual({ elicited: { action: "accept", content: { name: "Eve" } } });
});

test("Notification: fires for a question that stays open, for an idle prompt, and for a form that was answered", async () => {
  const world = openWorld({ hooks: { Notification: {} } });
  await world.run([bash("mkfifo made"), { text: "ok" }], {
    promptNoticeMs: 50,
    idleMs: 50,
    interactive: true,
    user: {
      async permission() {
        await heard(world, "Notification");
        return { behavior: "deny" };
      },
    },
    onReady: (control) => control.prompt("go"),
    signal: endAfter(() => world.payloads("Notification").length >= 2),
  });
  await world.run(script, asking);
  const notices = await heard(world, "Notification", 3);
  for (const payload of notices) expectRecorded("Notification", payload);
  expect(notices.map((payload) => payload["notification_type"])).toEqual([
    "permission_prompt",
    "idle_prompt",
    "elicitation_response",
  ]);
});

/** Ends a run that waits for a user, once it has been seen to wait. */
function endAfter(seen: () => boolean): AbortSignal {
  const abort = new AbortController();
  const timer = setInterval(() => {
    if (!seen()) return;
    clearInterval(timer);
    abort.abort();
  }, 50);
  setTimeout(() => abort.abort(), 8_000).unref();
  return abort.signal;
}

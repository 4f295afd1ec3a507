import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { front } from "./fixtures/front.ts";

describe("a line prompt", () => {
  test('the answer "always" writes the rule to local settings; a comment after "no" is sent to the model', async () => {
    const { interactive, stdin, until, project, seen } = front({ hooks: {} });
    const call = (command: string) => ({ calls: [{ tool: "Bash", input: { command } }] });
    const run = interactive([
      call("npm run build"),
      call("npm run build"),
      call("git push"),
      { text: "fine", expect: [{ contains: ["too early"] }] },
    ]);
    await until(/> $/);
    stdin.write("go\n");
    await until(/\[a\]lways/);
    stdin.write("a\n");
    await until(/git push[\s\S]*\[y\]es/);
    stdin.write("no, too early\n");
    await until(/fine\n> $/);
    stdin.end();
    expect(await run).toBe(0);
    expect(
      JSON.parse(readFileSync(join(project, ".claude/settings.local.json"), "utf8")).permissions.allow,
    ).toHaveLength(1);
    expect(seen.out.match(/\[y\]es/g)).toHaveLength(2);
  });

  test("Ctrl-C ends the turn and not the session; a long idle time fires Notification", async () => {
    const { interactive, stdin, until, signal, payloads } = front({
      hooks: { Notification: {} },
      settings: { permissions: { allow: ["Bash"] } },
    });
    const run = interactive([{ calls: [{ tool: "Bash", input: { command: "sleep 20" } }] }, { text: "still here" }], {
      idleMs: 400,
    });
    await until(/> $/);
    stdin.write("go\n");
    await until(/· Bash sleep/);
    signal("SIGINT");
    await until(/Interrupted\.\n> $/);
    stdin.write("and?\n");
    await until(/still here\n> $/);
    await expect.poll(() => payloads("Notification").map((one) => one["notification_type"])).toContain("idle_prompt");
    stdin.end();
    expect(await run).toBe(0);
  });

  test("a background hook that exits 2 wakes the idle agent with a prompt", async () => {
    const { interactive, stdin, until, payloads } = front({
      hooks: {
        PostToolUse: { run: "sleep 0.5", stderr: "REWAKE-MARK", exit: 2, hook: { asyncRewake: true } },
        UserPromptSubmit: {},
      },
      settings: { permissions: { allow: ["Bash"] } },
    });
    const run = interactive([
      { calls: [{ tool: "Bash", input: { command: "true" } }] },
      { text: "idle now" },
      { when: { lastMessage: "REWAKE-MARK" }, text: "awake" },
    ]);
    await until(/> $/);
    stdin.write("go\n");
    await until(/awake\n> $/);
    stdin.end();
    await run;
    expect(String(payloads("UserPromptSubmit")[1]?.["prompt"])).toMatch(
      /^<task-notification>[\s\S]*\nStop hook blocking error from command "PostToolUse:Bash": REWAKE-MARK\n/,
    );
  });
});

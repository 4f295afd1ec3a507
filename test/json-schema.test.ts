import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { sessionsSchemas, usageSchemas } from "../scripts/schema/index.ts";
import { callHookline } from "../src/cli/fixtures/caller.ts";
import { reportNames } from "../src/usage/internal.ts";

/** What commands print with --json, against the schemas that are published for it. */

const recorded = resolve(import.meta.dirname, "fixtures/transcripts");
const names = ["a-plain", "b-subagent", "d-forked", "e-compact-interactive", "f-error-529", "g-large-and-image"];
const home = mkdtempSync(join(tmpdir(), "hookline-schema-"));

beforeAll(() => {
  for (const name of names)
    cpSync(join(recorded, name), join(home, ".claude/projects", `-${name}`), { recursive: true });
  const folder = join(home, ".claude", "sessions");
  mkdirSync(folder, { recursive: true });
  const running = { pid: process.pid, sessionId: "s1", cwd: "/w", kind: "interactive", status: "busy", more: 1 };
  writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify(running));
});

async function printed(...args: string[]): Promise<unknown> {
  const caller = { home, cwd: "/home/dev/project", env: { HOOKLINE_HOME: join(home, "state") } };
  return JSON.parse((await callHookline([...args, "--json"], caller)).out);
}

test.each(reportNames)("usage %s prints what its schema says", async (name) => {
  const own: Partial<Record<typeof name, string[]>> = { session: ["--reconcile"], blocks: ["--token-limit", "max"] };
  const more = ["--breakdown", "--agents", "--show-prices", ...(own[name] ?? [])];
  for (const args of [[], more]) {
    const report = await printed("usage", name, ...args);
    expect(usageSchemas[name]?.safeParse(report).error).toBeUndefined();
    expect(usageSchemas[name]?.safeParse({ ...(report as object), more: 1 }).success).toBe(false);
  }
});

const subagent = "501a101c";

test.each([
  ["ls", []],
  ["show", [subagent]],
  ["show", [subagent, "--agents", "--thinking", "--results"]],
  ["show", [subagent, "--last", "3"]],
  ["tree", [subagent]],
  ["live", []],
  ["live", ["--all"]],
  ["search", ["the"]],
  ["validate", ["--all"]],
  ["repair", [subagent, "--dry-run"]],
  ["repair", [subagent, "--to", "subagents", "--dry-run"]],
  ["fork", [subagent]],
  ["archive", [subagent]],
  ["export", [subagent, "--agents", "--results"]],
])("sessions %s %j prints what its schema says", async (verb, args) => {
  expect(sessionsSchemas[verb]?.safeParse(await printed("sessions", verb, ...args)).error).toBeUndefined();
});

test("every command has a schema, and every schema a command", () => {
  const verbs = ["archive", "export", "fork", "live", "ls", "repair", "search", "show", "tree", "validate"];
  expect(Object.keys(sessionsSchemas).sort()).toEqual(verbs);
  expect(Object.keys(usageSchemas).sort()).toEqual([...reportNames].sort());
});

import { randomUUID } from "node:crypto";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeWorld, type Ran } from "../../fixtures/agent-run.ts";

const resultsOf = ({ requests }: Ran) =>
  (requests.at(-1)?.messages.at(-1)?.content ?? []) as readonly { content: unknown; is_error?: boolean }[];

test("the model may read the whole of an output that was saved for it, and nothing else outside the project", async () => {
  const world = makeWorld({ hooks: {}, settings: { permissions: { allow: ["Bash"] } } });
  onTestFinished(world.remove);
  const sessionId = randomUUID();
  const long = { calls: [{ tool: "Bash", input: { command: "seq 1 20000" } }] };
  const first = await world.run([long, { text: "ok" }], { prompt: "go", sessionId });
  const path = /saved to: (\S+?\.txt)/.exec(JSON.stringify(resultsOf(first)))?.[1] ?? "";
  const secret = join(world.home, "secret.txt");
  writeFileSync(secret, "sesame");
  const link = join(dirname(path), "link.txt");
  symlinkSync(secret, link);
  const other = path.replace(sessionId, randomUUID());
  mkdirSync(dirname(other), { recursive: true });
  writeFileSync(other, "of another session");
  const calls = [
    { tool: "Read", input: { file_path: path, offset: 19_990 } },
    { tool: "Grep", input: { pattern: "^19999$", path, output_mode: "content" } },
    ...[link, secret, other].map((file_path) => ({ tool: "Read", input: { file_path } })),
    { tool: "Write", input: { file_path: join(dirname(path), "new.txt"), content: "x" } },
  ];
  const permissionMode = "acceptEdits" as const;
  const second = await world.run([{ calls }, { text: "ok" }], { prompt: "go", resume: sessionId, permissionMode });
  const [read, grep, ...rest] = resultsOf(second);
  expect([read?.is_error, read?.content]).toEqual([undefined, expect.stringContaining("19999")]);
  expect([grep?.is_error, grep?.content]).toEqual([undefined, expect.stringContaining("19999")]);
  expect(rest.map(({ is_error }) => is_error)).toEqual([true, true, true, true]);
  expect(JSON.stringify(rest)).not.toMatch(/sesame|of another session/);
});

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toolWorld } from "../fixtures/world.ts";
import { bashTool } from "./bash.ts";

const own = 'f=$(readlink /proc/$$/fd/1); rm "$f"';

test("a command that replaces its output file with a pipe does not block the session", async () => {
  const { call } = toolWorld();
  expect(await call(bashTool(), { command: `${own}; mkfifo "$f"; echo lost` })).toMatchObject({ isError: false });
  expect(await call(bashTool(), { command: `${own}; mkfifo "$f"; exit 3` })).toMatchObject({ isError: true });
});

test("a link in the place of an output is not followed", async () => {
  const { call, home } = toolWorld();
  writeFileSync(join(home, "key"), "SECRET");
  const asked = call(bashTool(), { command: `${own}; ln -s "${join(home, "key")}" "$f"` });
  await expect(asked).rejects.toThrow("ELOOP");
});

test("a command that replaces its output directory with a file does not end the process", async () => {
  const { call } = toolWorld();
  const command = `${own}; d=$(dirname "$f"); rm -r "$d"; touch "$d"; sleep 0.3; rm "$d"`;
  await expect(call(bashTool(), { command })).rejects.toThrow("ENOENT");
  expect(await call(bashTool(), { command: "echo still there" })).toMatchObject({ content: "still there" });
});

import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const hosts = resolve(import.meta.dirname, "../examples/hosts");

/** What each example prints, run as its header says. */
const prints: Record<string, string> = {
  "decide-a-tool-call.mjs": `\
git status           allow: Bash(git *) covers it
git reset --hard     ask: Bash(git reset *) asks about it
cd api && git push   deny: Pushing is for people.
`,
  "observe-runs.mjs": `\
{"notice":"run","event":"PreToolUse","hook":"echo 'Not on this machine.' >&2; exit 2","ended":{"by":"exit","code":2},"verdict":"deny"}
{"notice":"run","event":"PostToolUse","hook":"cat > /dev/null","ended":{"by":"background"},"verdict":"none"}
{"notice":"background-ended","event":"PostToolUse","hook":"cat > /dev/null","ended":{"by":"exit","code":0},"verdict":"none"}
`,
  "stream-progress.mjs": `\
… Formatting
✓ fine
… Running the tests
✗ said no
The agent goes on: 2 tests fail.
`,
  "whole-loop.mjs": `\
prompt: Clean up.
ls: ran ls <hook>
Remember the tests.
</hook>
rm -r dist: ran rm -r dist <hook>
Remember the tests.
</hook>
rm -r src: denied: Denied by the user.
stop: Say what you changed.
stop: the turn is over
`,
};

let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "hookline-examples-"));
});

afterAll(() => rm(home, { recursive: true, force: true }));

test("every example is tried here", async () => {
  expect(Object.keys(prints)).toEqual((await readdir(hosts)).sort());
});

describe.concurrent("examples of hosts", () => {
  for (const [name, output] of Object.entries(prints)) {
    test(`${name} runs unchanged`, async () => {
      const { stdout, stderr } = await promisify(execFile)(process.execPath, [join(hosts, name)], {
        env: { PATH: process.env["PATH"], HOME: home },
      });
      expect({ stdout, stderr }).toEqual({ stdout: output, stderr: "" });
    });

    test(`${name} says what it is and fits on a screen`, async () => {
      const text = await readFile(join(hosts, name), "utf8");
      expect(text).toContain(`Run it with: node examples/hosts/${name}\n`);
      expect(text.split("\n").length).toBeLessThanOrEqual(60);
    });
  }
});

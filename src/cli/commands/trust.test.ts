import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import type { Io } from "../command-line/command.ts";
import { main } from "../main.ts";

interface Ran {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

interface World {
  readonly project: string;
  put(path: string, content: unknown): Promise<void>;
  /** `typed`: what a user at a terminal types, line by line. */
  run(args: readonly string[], typed?: readonly string[]): Promise<Ran>;
}

async function world(): Promise<World> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "hookline-cli-trust-")));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const project = join(root, "project");
  await mkdir(project);
  return {
    project,
    async put(path, content) {
      await mkdir(dirname(join(project, path)), { recursive: true });
      await writeFile(join(project, path), typeof content === "string" ? content : JSON.stringify(content));
    },
    async run(args, typed) {
      let [out, err] = ["", ""];
      const stdin = Object.assign(new PassThrough(), { isTTY: typed !== undefined });
      const left = [...(typed ?? [])];
      const io: Io = {
        stdin,
        out: async (text) => {
          out += text;
        },
        err: async (text) => {
          err += text;
          if (/(?:\]|uit) $/.test(text)) stdin.write(`${left.shift() ?? ""}\n`);
        },
        env: { PATH: process.env["PATH"], HOME: join(root, "home"), HOOKLINE_HOME: join(root, "state") },
        cwd: project,
        home: join(root, "home"),
        terminal: { out: typed !== undefined, err: typed !== undefined, colour: false, columns: 80 },
        signal: new AbortController().signal,
      };
      const status = await main(args, io);
      return { status, out, err };
    },
  };
}

const hook = (command: string) => ({ hooks: { Stop: [{ hooks: [{ type: "command", command }] }] } });

/** The states `hookline list` shows. */
async function states({ run }: World): Promise<readonly string[]> {
  const { out } = await run(["list", "--json"]);
  return JSON.parse(out).hooks.map(({ trust }: { trust: string }) => trust);
}

async function shown({ run }: World): Promise<{ id: string; digest: string; state: string }[]> {
  return JSON.parse((await run(["trust", "--show", "--json"])).out).entries;
}

test("--json escapes bidirectional and C1 control characters", async () => {
  const { put, run } = await world();
  await put(".claude/settings.json", hook("echo \u202egood\u009b31m"));
  for (const words of [["list"], ["explain", "Stop"], ["trust", "--show"]]) {
    const { out } = await run([...words, "--json"]);
    expect(out).not.toMatch(/[\u202e\u009b]/);
    expect(JSON.stringify(JSON.parse(out))).toContain("\u202egood\u009b31m");
  }
});

test("--show prints the definition, the files it names in full, and that hooks have the permissions of the user", async () => {
  const { put, run, project } = await world();
  await put("check.sh", "#!/bin/sh\necho hello\n");
  await put(".claude/settings.json", hook("sh check.sh"));
  const { status, out } = await run(["trust", "--show"]);
  expect(status).toBe(0);
  expect(out).toContain(`hook on Stop of ${join(project, ".claude/settings.json")}`);
  expect(out).toContain('"command": "sh check.sh"');
  expect(out).toMatch(/check\.sh {2}21 bytes {2}sha256:[0-9a-f]{64}/);
  expect(out).toContain("| echo hello");
  expect(out).toContain("Hooks run with all your permissions");
  expect(out).toMatch(/project:Stop:0\.0:[0-9a-f]{8}=sha256:[0-9a-f]{64}/);
});

test("what changed is shown as a diff against what was approved", async () => {
  const { put, run } = await world();
  await put("check.sh", "one\ntwo\nthree\n");
  await put(".claude/settings.json", hook("sh check.sh"));
  await run(["trust", "--yes"]);
  await put("check.sh", "one\n2\nthree\n");
  const { out } = await run(["trust", "--show"]);
  expect(out).toContain("changed  hook on Stop");
  expect(out.split("\n").map((line) => line.trim())).toEqual(expect.arrayContaining(["- two", "+ 2", "one", "three"]));
  await put(".claude/settings.json", hook("sh check.sh --strict"));
  expect((await run(["trust", "--show"])).out).toMatch(
    /- +"command": "sh check\.sh"[\s\S]*\+ +"command": "sh check\.sh --strict"/,
  );
});

test("without a terminal nothing is approved without --yes or --pin", async () => {
  const it = await world();
  await it.put(".claude/settings.json", hook("echo hi"));
  const refused = await it.run(["trust"]);
  expect([refused.status, refused.err]).toEqual([1, expect.stringContaining("--yes")]);
  expect(await states(it)).toEqual(["new"]);
  const approved = await it.run(["trust", "--yes"]);
  expect(approved.out).toMatch(/approved {2}Stop {2}project:Stop:0\.0:[0-9a-f]{8}=sha256:/);
  expect(await states(it)).toEqual(["trusted"]);
});

test("trust says that everything is already approved when it is", async () => {
  const it = await world();
  await it.put(".claude/settings.json", { hooks: { Stop: [{ hooks: [{ type: "command", command: "true" }] }] } });
  expect((await it.run(["trust", "--yes"])).out).toContain("approved  Stop");
  const { status, out } = await it.run(["trust"]);
  expect([status, out.split("\n").at(-2)]).toEqual([0, "Everything is already approved."]);
});

test("on a terminal each entry is asked about, and only a yes approves", async () => {
  const it = await world();
  await it.put(".claude/settings.json", {
    env: { A: "b" },
    hooks: { Stop: [{ hooks: ["one", "two", "three"].map((word) => ({ type: "command", command: `echo ${word}` })) }] },
  });
  const { err, out } = await it.run(["trust"], ["y", "", "q"]);
  expect(err).toContain("Hooks run with all your permissions");
  expect(err).toContain("Approve this (3 of 4)?");
  expect(err).not.toContain("(4 of 4)");
  expect(out.match(/^approved/gm)).toHaveLength(1);
  expect(await states(it)).toEqual(["trusted", "new", "new"]);
  await it.run(["trust"], ["n", "all"]);
  expect((await shown(it)).map(({ state }) => state)).toEqual(["trusted", "new", "trusted", "trusted"]);
});

test("--pin approves if the digest is equal; otherwise it is a problem and nothing is approved", async () => {
  const it = await world();
  await it.put("check.sh", "echo one\n");
  await it.put(".claude/settings.json", {
    hooks: { Stop: [{ hooks: ["sh check.sh", "echo two"].map((command) => ({ type: "command", command })) }] },
  });
  const [first, second] = await shown(it);
  const pin = (entry: { id: string; digest: string } | undefined) => ["--pin", `${entry?.id}=${entry?.digest}`];
  await it.put("check.sh", "echo evil\n");
  const refused = await it.run(["trust", ...pin(second), ...pin(first)]);
  expect([refused.status, refused.err]).toEqual([1, expect.stringContaining("Nothing was approved")]);
  expect(await states(it)).toEqual(["new", "new"]);
  await it.put("check.sh", "echo one\n");
  expect((await it.run(["trust", ...pin(first)])).status).toBe(0);
  expect(await states(it)).toEqual(["trusted", "new"]);
  for (const wrong of [`nothing=sha256:${"0".repeat(64)}`, "project:Stop", `${first?.id}=md5:1`]) {
    expect((await it.run(["trust", "--pin", wrong])).status).toBe(1);
  }
});

test("the digest is the same on every machine", async () => {
  const [here, there] = [await world(), await world()];
  for (const one of [here, there]) {
    await one.put("check.sh", "echo one\n");
    await one.put(".claude/settings.json", hook('sh "$CLAUDE_PROJECT_DIR/check.sh"'));
  }
  expect((await shown(here)).map(({ id, digest }) => [id, digest])).toEqual(
    (await shown(there)).map(({ id, digest }) => [id, digest]),
  );
});

test("--revoke removes approvals, and a directory without entries is reported", async () => {
  const it = await world();
  expect((await it.run(["trust"])).out).toContain("has nothing that needs approval");
  await it.put(".claude/settings.json", hook("echo hi"));
  await it.run(["trust", "--yes"]);
  expect((await it.run(["trust", "--revoke"])).out).toContain("All approvals were revoked");
  expect(await states(it)).toEqual(["new"]);
});

test("--workspace accepts the folder as a whole", async () => {
  const it = await world();
  await it.put(".claude/settings.json", hook("echo hi"));
  const fired = async () =>
    JSON.parse((await it.run(["fire", "Stop", "--trust", "workspace", "--json"])).out).runs.length;
  expect(await fired()).toBe(0);
  expect((await it.run(["trust", "--workspace"], ["n"])).status).toBe(1);
  expect(await fired()).toBe(0);
  expect((await it.run(["trust", "--workspace"], ["yes"])).status).toBe(0);
  expect(await fired()).toBe(1);
});

test("nothing a folder holds reaches the terminal as a control sequence, and nothing of it is hidden", async () => {
  const { put, run } = await world();
  const nasty = "\u001b[2J\u001b]52;c;eA==\u0007\u009b1m\u202e\u200b\u3164\u{e0041}";
  await put("check.sh", `echo ${nasty} shown\n`);
  await put(".claude/settings.json", hook(`sh check.sh ${nasty}`));
  const { out } = await run(["trust", "--show"]);
  expect(out).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202e]/);
  expect(out).toContain("shown");
  for (const code of ["202E", "3164", "E0041"]) expect(out).toContain(`‹U+${code}›`);
});

test("hookline check counts what a folder grants once it is approved", async () => {
  const it = await world();
  await it.put(".claude/settings.json", { permissions: { allow: ["Bash(make *)"], deny: ["Bash(curl *)"] } });
  const decided = async (command: string) =>
    JSON.parse((await it.run(["check", "Bash", "--input", JSON.stringify({ command }), "--json"])).out).decision;
  expect([await decided("make all"), await decided("curl x")]).toEqual(["ask", "deny"]);
  await it.run(["trust", "--yes"]);
  expect([await decided("make all"), await decided("curl x")]).toEqual(["allow", "deny"]);
});

test("trust, --show and --json say what is covered, and each form that is not", async () => {
  const it = await world();
  await it.put("check.sh", "echo hello\n");
  await it.put(".claude/settings.json", hook('sh check.sh; sh "$OTHER"; eslint .'));
  const shown = (await it.run(["trust", "--show"])).out;
  expect(shown).toContain("check.sh  11 bytes  sha256:");
  expect(shown).toContain('not covered: "$OTHER" (its value is not known in advance)');
  expect(shown).toContain("not covered: eslint (what this program loads from the folder on its own");
  const [entry] = JSON.parse((await it.run(["trust", "--yes", "--json"])).out).entries;
  expect(entry.files.map(({ path }: { path: string }) => path)).toEqual(["check.sh"]);
  expect(entry.notCovered.map(({ what }: { what: string }) => what)).toEqual(['"$OTHER"', "eslint"]);
});

test("trust reports that no file of the directory is covered", async () => {
  const it = await world();
  await it.put(".claude/settings.json", hook("make -s hook"));
  const { out } = await it.run(["trust", "--yes"]);
  expect(out).toContain("no files: this approval covers only the definition above");
  expect(out).toContain("not covered: make (the folder has no makefile)");
});

test("a file that two entries name is printed once", async () => {
  const { put, run } = await world();
  await put("guard.sh", "exit 2 # the guard\n");
  const group = (matcher: string) => ({ matcher, hooks: [{ type: "command", command: "sh ./guard.sh" }] });
  await put(".claude/settings.json", { hooks: { PreToolUse: [group("Bash"), group("Write")] } });
  const { out } = await run(["trust", "--show"]);
  expect(out.match(/# the guard/g)).toHaveLength(1);
  expect(out.match(/guard\.sh {2}\d+ bytes/g)).toHaveLength(2);
  expect(out).toContain("(shown above)");
});

test("settings that cannot be read are reported, and the status is 1", async () => {
  const { put, run } = await world();
  await put(".claude/settings.json", '{ "hooks": ');
  for (const args of [["trust", "--show"], ["trust"]]) {
    const { status, out } = await run(args);
    expect([status, out.includes("nothing that needs approval")]).toEqual([1, false]);
    expect(out).toMatch(/cannot be reviewed: .*settings\.json/);
  }
});

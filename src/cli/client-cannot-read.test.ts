import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type World, world } from "../install/fixtures/world.ts";
import { callHookline } from "./fixtures/caller.ts";

function caller({ home, state, project }: World) {
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, HOOKLINE_HOME: state };
  return (...words: readonly string[]) => callHookline(words, { home, cwd: project, env });
}

const commented = '{\n  // mine\n  "model": "x"\n}\n';
const fault = ":2:3: a comment, which is not allowed in JSON. Claude Code drops the whole file";

test("install refuses a commented file, --strip-comments is the cure it names, and uninstall restores every byte", async () => {
  const here = world();
  const hookline = caller(here);
  const file = join(here.project, ".claude/settings.local.json");
  writeFileSync(
    here.hooksFile,
    'import { createApp } from "hookline/sdk";\nexport default createApp().onStop(() => undefined);\n',
  );
  writeFileSync(file, commented);
  const install = ["install", "--scope", "local", "--transport", "run"];
  const refused = await hookline(...install);
  expect([refused.status, refused.err]).toEqual([1, expect.stringContaining(`${file}${fault}`)]);
  expect(refused.err).toContain("hookline install --scope local --transport run --strip-comments");
  expect(readFileSync(file, "utf8")).toBe(commented);

  expect((await hookline(...install, "--strip-comments")).status).toBe(0);
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ model: "x", hooks: { Stop: [{}] } });
  expect((await hookline("status")).status).toBe(0);
  expect((await hookline("uninstall")).status).toBe(0);
  expect(readFileSync(file, "utf8")).toBe(commented);
});

test("status and doctor report client-cannot-read with exit 3 when an installed file gets a comment", async () => {
  const here = world();
  const hookline = caller(here);
  const file = join(here.project, ".claude/settings.local.json");
  writeFileSync(
    here.hooksFile,
    'import { createApp } from "hookline/sdk";\nexport default createApp().onStop(() => undefined);\n',
  );
  await hookline("install", "--scope", "local", "--transport", "run");
  writeFileSync(file, readFileSync(file, "utf8").replace("{\n", "{\n  // mine\n"));
  const status = await hookline("status");
  expect([status.status, status.out]).toEqual([3, expect.stringContaining(`client-cannot-read: ${file}${fault}`)]);
  const doctor = await hookline("doctor", "--json");
  const { findings } = JSON.parse(doctor.out) as { findings: { level: string; code: string; message: string }[] };
  const found = findings.filter(({ code }) => code === "client-cannot-read");
  expect([doctor.status, found]).toEqual([
    3,
    [expect.objectContaining({ level: "error", message: expect.stringContaining(`${file}${fault}`) })],
  ]);
});

test("a settings file that is not valid JSON is client-cannot-read with exit 3 for status and doctor, installed or not", async () => {
  const here = world();
  const hookline = caller(here);
  const file = join(here.project, ".claude/settings.local.json");
  const text =
    ":1:12: expected a value, found the end of the file. Claude Code drops the whole file, its hooks included.";
  writeFileSync(
    here.hooksFile,
    'import { createApp } from "hookline/sdk";\nexport default createApp().onStop(() => undefined);\n',
  );
  for (const words of [[], ["install", "--scope", "local", "--transport", "run"]]) {
    writeFileSync(file, "{}");
    if (words.length > 0) expect((await hookline(...words)).status).toBe(0);
    writeFileSync(file, '{ "hooks": ');
    const status = await hookline("status");
    expect([status.status, status.out]).toEqual([3, expect.stringContaining(`client-cannot-read: ${file}${text}`)]);
    const { inSync, scopes } = JSON.parse((await hookline("status", "--json")).out) as {
      inSync: boolean;
      scopes: unknown[];
    };
    expect([inSync, scopes]).toEqual([
      false,
      expect.arrayContaining([
        expect.objectContaining({
          scope: "local",
          installed: words.length > 0,
          drift: [expect.objectContaining({ kind: "client-cannot-read" })],
        }),
      ]),
    ]);
    const doctor = await hookline("doctor");
    expect([doctor.status, doctor.out]).toEqual([3, expect.stringContaining(`client-cannot-read: ${file}${text}`)]);
    expect(doctor.out.split("client-cannot-read")).toHaveLength(2);
    for (const command of [["list"], ["explain", "Stop"], ["fire", "Stop"]]) {
      const { status, out } = await hookline(...command);
      expect([status, out]).toEqual([0, expect.stringContaining(`client-cannot-read: ${file}${text}`)]);
      expect(out).toContain(`settings-unreadable: ${file}`);
    }
  }
});

test("list, explain and fire warn about a file that Claude Code drops, and keep their exit status", async () => {
  const here = world();
  const hookline = caller(here);
  const file = join(here.project, ".claude/settings.json");
  writeFileSync(file, commented);
  for (const words of [["list"], ["explain", "Stop"], ["fire", "Stop", "--exit-code"]]) {
    const { status, out } = await hookline(...words);
    expect([words[0], status, out]).toEqual([
      words[0],
      0,
      expect.stringContaining(`client-cannot-read: ${file}${fault}`),
    ]);
  }
});

test("a file given with --settings may have comments: no command says otherwise", async () => {
  const here = world();
  const hookline = caller(here);
  const file = join(here.project, "team.json");
  writeFileSync(file, commented);
  for (const words of [["list"], ["explain", "Stop"], ["fire", "Stop"], ["doctor"]]) {
    const { status, out } = await hookline(...words, "--settings", file);
    expect([words[0], status, out.includes("client-cannot-read")]).toEqual([words[0], 0, false]);
  }
});

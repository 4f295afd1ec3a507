import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { world } from "../install/fixtures/world.ts";
import { callHookline } from "./fixtures/caller.ts";

const app = 'import { createApp } from "hookline/sdk";\nexport default createApp().onStop(() => undefined);\n';

function place() {
  const { home, state, project, hooksFile } = world();
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, HOOKLINE_HOME: state };
  const hookline = (...words: readonly string[]) => callHookline(words, { home, cwd: project, env });
  return { hookline, hooksFile, project };
}

/** An app that was installed and approved, and got a syntax error on its third line afterwards. */
async function brokenLater() {
  const { hookline, hooksFile, project } = place();
  writeFileSync(hooksFile, app);
  expect((await hookline("install", "--scope", "local", "--transport", "run")).status).toBe(0);
  writeFileSync(hooksFile, `${app}const broken = ;\n`);
  return { hookline, hooksFile, project, fault: `${hooksFile} does not load: hooks.mjs:3: Unexpected ";"` };
}

test("doctor reports a syntax error of an installed hooks file as an error with file and line, as status does", async () => {
  const { hookline, hooksFile, fault } = await brokenLater();
  const status = await hookline("status");
  expect([status.status, status.out]).toEqual([3, expect.stringContaining(`hooks-file-broken: ${fault}`)]);
  const doctor = await hookline("doctor");
  expect([doctor.status, doctor.out]).toEqual([3, expect.stringContaining(`error    hooks-file-broken: ${fault}\n`)]);
  const { findings } = JSON.parse((await hookline("doctor", "--json")).out) as { findings: readonly object[] };
  expect(findings).toContainEqual({ level: "error", code: "hooks-file-broken", message: fault, place: hooksFile });
  writeFileSync(hooksFile, app);
  expect((await hookline("doctor")).status).toBe(0);
});

test.each(["mjs", "ts"])(
  "status reports an installed hooks.%s that no longer exports an app as broken",
  async (ending) => {
    const { hookline, hooksFile } = place();
    const file = hooksFile.replace(/mjs$/, ending);
    writeFileSync(file, app);
    expect((await hookline("install", file, "--scope", "local", "--transport", "run")).status).toBe(0);
    for (const code of ["", app.replace("export default ", "")]) {
      writeFileSync(file, code);
      const { status, out } = await hookline("status");
      const fault = `hooks-file-broken: ${file} exports no app: it has no default export. End it with "export default app;"`;
      expect([status, out]).toEqual([3, expect.stringContaining(fault)]);
    }
  },
);

test("trust of a hooks file with a syntax error calls no file removed, and exits with 1 because nothing can be approved", async () => {
  const { hookline, project, fault } = await brokenLater();
  const settings = join(project, ".claude/settings.local.json");
  for (const words of [["trust"], ["trust", "--yes"]]) {
    const { status, out } = await hookline(...words);
    expect([status, out.replace(/Stop:0\.0:\w+/, "ID")]).toEqual([
      1,
      `${project}

changed  hook on Stop of ${settings}
  .claude/hooks.mjs has changed since it was approved
  cannot be approved: its imports cannot be determined: ${fault}
  local:ID

Hooks run with all your permissions.
Nothing was approved.
`,
    ]);
  }
  expect((await hookline("trust", "--json")).status).toBe(1);
  expect((await hookline("trust", "--show")).status).toBe(0);
});

test("doctor --fix restores entries of a broken hooks file, reports the file and does not approve it", async () => {
  const { hookline, project, fault } = await brokenLater();
  const settings = join(project, ".claude/settings.local.json");
  writeFileSync(settings, "{}\n");
  const { status, out, err } = await hookline("doctor", "--fix");
  expect([status, err]).toEqual([3, ""]);
  expect(out).toContain(`repaired  Put the entries back into ${settings}.\n`);
  expect(out).toContain(`error    hooks-file-broken: ${fault}\n`);
  expect(out).toContain("hook-untrusted");
});

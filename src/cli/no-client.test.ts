import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { callHookline } from "./fixtures/caller.ts";

const missing = vi.hoisted(() => new Set<string>());
vi.mock("node:fs", async (original) => {
  const fs = await original<typeof import("node:fs")>();
  const existsSync: typeof fs.existsSync = (path) => !missing.has(String(path)) && fs.existsSync(path);
  return { ...fs, existsSync, default: fs };
});

beforeEach(() => missing.clear());

/** An app in local scope, on a machine with these programs and no others. */
function machine(...programs: string[]) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-no-client-")));
  mkdirSync(join(folder, "project/.claude"), { recursive: true });
  mkdirSync(join(folder, "bin"));
  for (const name of programs) symlinkSync(`/bin/${name}`, join(folder, "bin", name));
  const app = `import { createApp } from "hookline/sdk";\nexport default createApp().preTool("Bash", () => undefined);\n`;
  writeFileSync(join(folder, "project/.claude/hooks.mjs"), app);
  const env = { PATH: join(folder, "bin"), HOOKLINE_HOME: join(folder, "state"), HOME: folder };
  const call = async (...args: string[]) =>
    (await callHookline(args, { home: folder, cwd: join(folder, "project"), env })).out;
  return { call };
}

const none = "none: every call starts Node; install a C compiler (cc) or Perl";

test("without a C compiler and Perl, install, status and doctor say that every call starts Node", async () => {
  for (const path of ["/usr/bin/perl", "/usr/local/bin/perl", "/opt/homebrew/bin/perl"]) missing.add(path);
  const { call } = machine("bash", "sh");
  const installed = await call("install", "--scope", "local");
  expect(installed).toContain(`  with   ${none} (there is no C compiler (cc) in PATH)\n`);
  expect(installed).not.toContain("start the daemon");
  expect(await call("status")).toContain(`  client     ${none}\n`);
  const doctor = await call("doctor");
  expect(doctor).toContain("client-none: Every call starts Node: there is neither a compiled client nor Perl.");
  expect(doctor).toContain(`client   ${none} (local)\n`);
  const keys = { client: "script", clientProgram: "none" };
  expect(JSON.parse(await call("status", "--json")).scopes[1]).toMatchObject(keys);
  expect(JSON.parse(await call("doctor", "--json")).clients).toEqual([{ scope: "local", ...keys }]);
  expect(JSON.parse(await call("install", "--scope", "local", "--json"))).toMatchObject(keys);
});

test.each([
  ["/bin/bash", ["bash", "sh"], "there is no bash at /bin/bash"],
  ["nothing", ["sh"], "there is no bash in PATH"],
])("without %s, install, status and doctor say why every call starts Node", async (path, programs, why) => {
  missing.add(path);
  const { call } = machine(...programs);
  expect(await call("install", "--scope", "local")).toContain(`every event starts Node (run): ${why}.\n`);
  const note = `Every call starts Node, because the client cannot run here: ${why}. Install it there, then: hookline install --scope local`;
  expect(await call("status")).toContain(note);
  expect(await call("doctor")).toContain(`client-none: ${note}`);
});

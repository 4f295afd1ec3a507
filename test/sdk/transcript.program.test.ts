import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type BundledPackage, bundlePackage } from "./bundled.ts";

let world: BundledPackage;
let transcript: string;
let spied: string;
beforeAll(async () => {
  world = await bundlePackage();
  const { build } = await import("esbuild");
  const outfile = join(world.folder, "package/dist/sessions/index.js");
  const options = { bundle: true, platform: "node", format: "esm", packages: "external" } as const;
  await build({ entryPoints: [resolve("src/sessions/index.ts")], outfile, ...options });
  spied = join(world.folder, "spied.txt");
  transcript = join(world.folder, "session.jsonl");
  const folder = resolve("test/fixtures/transcripts");
  const name = readdirSync(folder, { recursive: true, encoding: "utf8" }).find((path) => path.endsWith(".jsonl")) ?? "";
  cpSync(join(folder, name), transcript);
});
afterAll(() => world.remove());

/** Notes every file that the process opens and every module that it loads. */
const spy = () => `import fs from "node:fs";
import { register, syncBuiltinESMExports } from "node:module";
const append = fs.appendFileSync;
const note = (path) => append(${JSON.stringify(spied)}, String(path) + "\\n");
for (const [target, names] of [[fs, ["open", "openSync", "readFile", "readFileSync", "createReadStream"]], [fs.promises, ["open", "readFile"]]]) {
  for (const name of names) {
    const original = target[name];
    target[name] = (path, ...rest) => { note(path); return original(path, ...rest); };
  }
}
syncBuiltinESMExports();
const hooks = 'import { appendFileSync } from "node:fs"; export async function load(url, context, next) { if (url.startsWith("file:")) appendFileSync(' + JSON.stringify(${JSON.stringify(spied)}) + ', url + "\\\\n"); return next(url, context); }';
register("data:text/javascript," + encodeURIComponent(hooks));
`;

test("a transcript is neither opened nor its reader loaded for an app that does not touch it", async () => {
  const node = ["--import", world.file("spy.mjs", spy())];
  const app = (body: string) =>
    `import { createApp, context } from "hookline/sdk";\nexport default createApp().onPrompt(async (_event, ctx) => { ${body} });\n`;
  const files = {
    leaves: world.file("leaves.mjs", app("return context('no');")),
    reads: world.file(
      "reads.mjs",
      app("let n = 0; for await (const _ of (await ctx.transcript).entries()) n++; return context('entries ' + n);"),
    ),
  };
  const run = async (file: string, path: string | undefined) => {
    const event = { hook_event_name: "UserPromptSubmit", session_id: "s", prompt: "hi", transcript_path: path };
    rmSync(spied, { force: true });
    const ran = await world.run([file], JSON.stringify(event), { node });
    const lines = existsSync(spied) ? readFileSync(spied, "utf8").split("\n") : [];
    return {
      ran,
      opened: lines.includes(transcript),
      loaded: lines.some((line) => line.includes("/sessions/") || line.endsWith("/transcript.js")),
    };
  };
  // The first start of each builds it, because the project has no install of its own.
  for (const file of Object.values(files)) await world.run([file], "{}");
  const left = await run(files.leaves, transcript);
  expect([left.opened, left.loaded, left.ran.stdout.includes('"no"')]).toEqual([false, false, true]);
  const read = await run(files.reads, transcript);
  expect([read.opened, read.loaded, read.ran.stderr]).toEqual([true, true, ""]);
  expect(read.ran.stdout).toMatch(/entries [1-9]/);
  for (const path of [undefined, join(world.folder, "gone.jsonl")]) {
    const { ran } = await run(files.reads, path);
    expect([ran.stderr, ran.stdout.includes("entries 0")]).toEqual(["", true]);
  }
});

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { type Block, blocksIn, commandsIn } from "./blocks.ts";

const root = resolve(import.meta.dirname, "../..");

/**
 * A chapter as it would read if it were written today: named blocks are written as files, `js` blocks run and their output put into
 * the `text` block behind them, commands of `console` blocks run and their output put under them.
 */
export async function play(chapter: string): Promise<string> {
  const world = await makeWorld();
  try {
    let result = "";
    let from = 0;
    const blocks = blocksIn(chapter);
    for (const [index, block] of blocks.entries()) {
      const text = await playBlock(block, blocks[index - 1], world);
      result += chapter.slice(from, block.at) + text;
      from = block.at + block.text.length;
    }
    return result + chapter.slice(from);
  } finally {
    await world.remove();
  }
}

/** What differs from run to run: durations and times. */
export function stable(chapter: string): string {
  return chapter
    .replace(/^ *\d+\.\d\ds(?= )/gm, "0.00s")
    .replace(/ *\b[\d.]+ ms\b/g, " 0 ms")
    .replace(/("(?:startedAt|durationMs)": )[\d.]+/g, "$10");
}

/** An empty home, a project in it, and Hookline as if it were installed. Paths are printed without the temporary folder. */
interface World {
  readonly project: string;
  run(program: string, args: readonly string[]): Promise<string>;
  remove(): Promise<void>;
}

async function makeWorld(): Promise<World> {
  const outer = await realpath(await mkdtemp(join(tmpdir(), "hookline-docs-")));
  const home = join(outer, "home/ana");
  const project = join(home, "shop");
  const bin = join(outer, "bin");
  await mkdir(join(project, "node_modules"), { recursive: true });
  await mkdir(bin);
  await symlink(root, join(project, "node_modules/hookline"));
  await symlink(join(root, "examples"), join(project, "examples"));
  const program = `exec "${process.execPath}" "${join(root, "dist/cli/bin.cjs")}" "$@"`;
  await writeFile(join(bin, "hookline"), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
  await writeFile(join(bin, "npx"), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 });
  const env = { PATH: `${bin}:${process.env["PATH"]}`, HOME: home, NO_COLOR: "1", TZ: "UTC" };
  return {
    project,
    run: (file, args) =>
      new Promise((done) => {
        execFile(file, [...args], { cwd: project, env, encoding: "utf8" }, (error, stdout, stderr) =>
          done(
            `${stdout}${stderr}${stdout === "" && stderr === "" && error ? error.message : ""}`.replaceAll(outer, ""),
          ),
        );
      }),
    remove: () => rm(outer, { recursive: true, force: true }),
  };
}

async function playBlock(block: Block, before: Block | undefined, world: World): Promise<string> {
  const [language, name] = block.info.split(" ");
  if (name !== undefined) {
    const path = join(world.project, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, block.text);
    return block.text;
  }
  if (language === "console") return playConsole(block.text, world);
  if (language === "text" && before?.info === "js") return playModule(before.text, world);
  return block.text;
}

async function playModule(code: string, world: World): Promise<string> {
  const file = join(world.project, "example.mjs");
  await writeFile(file, code);
  return world.run(process.execPath, [file]);
}

const mark = "— next command —\n";

/** One shell for all commands of a block, so that `cd` counts for the next. */
async function playConsole(text: string, world: World): Promise<string> {
  const commands = commandsIn(text);
  const script = commands.map(({ line }) => `{ ${line}\n} 2>&1; printf '${mark.replace("\n", "\\n")}'`).join("\n");
  const outputs = (await world.run("bash", ["-c", script])).split(mark);
  return commands.map(({ line }, index) => `$ ${line}\n${outputs[index] ?? ""}`).join("");
}

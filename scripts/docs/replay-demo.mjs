import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { terminalPicture, textIn } from "./terminal-picture.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

const picture = join(root, "docs", "images", "replay.svg");

/** Draws docs/images/replay.svg again, unless only the durations have changed. */
export function writeReplayPicture() {
  const { shown, printed } = replayPicture();
  if (shown !== printed.stable) writeFileSync(picture, printed.svg);
}

/** The text that the picture shows and the text that the command prints now, both without what differs from run to run. */
export function replayPicture() {
  const svg = terminalPicture(replayDemo(readFileSync(join(root, "README.md"), "utf8")));
  const shown = existsSync(picture) ? stable(textIn(readFileSync(picture, "utf8"))) : "";
  return { shown, printed: { svg, stable: stable(textIn(svg)) } };
}

function stable(text) {
  return text
    .replace(/[\d.]+ ms\b/g, "0 ms")
    .replace(/ +/g, " ")
    .replace(/[\d.]+ KB/, "KB");
}

const command = ["replay", "--root", "node_modules/hookline/examples/history", "--all"];

/** What `hookline replay` prints for the hook of the README and the sessions in examples/history, with the command as the first line. */
function replayDemo(readme) {
  const [, hook = ""] = /^```ts \.claude\/hooks\.ts\n([\s\S]*?)^```/m.exec(readme) ?? [];
  const home = mkdtempSync(join(tmpdir(), "hookline-picture-"));
  try {
    const project = join(home, "shop");
    mkdirSync(join(project, ".claude"), { recursive: true });
    mkdirSync(join(project, "node_modules"));
    symlinkSync(root, join(project, "node_modules", "hookline"));
    writeFileSync(join(project, ".claude", "hooks.ts"), hook);
    const env = { PATH: process.env.PATH, HOME: home, HOOKLINE_HOME: join(home, "state"), NO_COLOR: "1", TZ: "UTC" };
    const program = join(root, "dist", "cli", "bin.cjs");
    const options = { cwd: project, env, encoding: "utf8" };
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...command], options);
    if (status !== 0) throw new Error(`hookline replay exited with ${status}: ${stderr}`);
    return `$ npx hookline ${command.join(" ")}\n${stdout}`;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

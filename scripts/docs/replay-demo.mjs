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

/** What `hookline replay` prints for the hook of the README and the sessions below, with the command as the first line. */
function replayDemo(readme) {
  const [, hook = ""] = /^```ts \.claude\/hooks\.ts\n([\s\S]*?)^```/m.exec(readme) ?? [];
  const home = mkdtempSync(join(tmpdir(), "hookline-picture-"));
  try {
    const project = join(home, "shop");
    mkdirSync(join(project, ".claude"), { recursive: true });
    mkdirSync(join(project, "node_modules"));
    symlinkSync(root, join(project, "node_modules", "hookline"));
    writeFileSync(join(project, ".claude", "hooks.ts"), hook);
    for (const session of sessions) writeTranscript(home, project, session);
    const env = { PATH: process.env.PATH, HOME: home, HOOKLINE_HOME: join(home, "state"), NO_COLOR: "1", TZ: "UTC" };
    const program = join(root, "dist", "cli", "bin.cjs");
    const options = { cwd: project, env, encoding: "utf8" };
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, "replay"], options);
    if (status !== 0) throw new Error(`hookline replay exited with ${status}: ${stderr}`);
    return `$ npx hookline replay\n${stdout}`;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** A week of work: the prompts of each session, each with the commands that the agent ran for it. */
const sessions = [
  {
    id: "3b1f0c52-7d5e-4a7b-9a7e-0c7d5e4a7b01",
    day: "2026-11-09",
    prompts: {
      "Round totals to cents.": [
        "cat src/total.ts",
        "npm test",
        "npm test",
        'git commit -am "Round totals"',
        "git push",
      ],
      "Rebase it on main.": ["git fetch", "git rebase origin/main", "npm test", "git push --force"],
    },
  },
  {
    id: "9c2e8a14-15b3-4c6d-8e2f-2a1415b34c02",
    day: "2026-11-11",
    prompts: {
      "Why does the build fail?": ["npm run build", "cat tsconfig.json", "npm ls typescript", "npm run build"],
      "Fix it and push.": ["npm install typescript@5.9", "npm run build", 'git commit -am "Fix build"', "git push"],
    },
  },
  {
    id: "e07d6f39-4f1a-4b0c-a3d5-6f394f1a4b03",
    day: "2026-11-13",
    prompts: {
      "Clean up the history of my branch.": [
        "git log --oneline -20",
        "git reset --soft HEAD~6",
        'git commit -m "Search"',
      ],
      "Push it.": ["git push", "git push --force origin main"],
    },
  },
];

function writeTranscript(home, project, { id, day, prompts }) {
  const folder = join(home, ".claude", "projects", project.replace(/[^a-zA-Z0-9]/g, "-"));
  mkdirSync(folder, { recursive: true });
  const lines = [];
  const add = (type, message, more = {}) => {
    const minute = String(lines.length).padStart(2, "0");
    const common = {
      isSidechain: false,
      cwd: project,
      sessionId: id,
      version: "2.1.325",
      timestamp: `${day}T09:${minute}:00.000Z`,
    };
    const uuid = `${id.slice(0, -4)}${String(lines.length).padStart(4, "0")}`;
    lines.push({ parentUuid: lines.at(-1)?.uuid ?? null, uuid, type, message, ...common, ...more });
  };
  for (const [prompt, commands] of Object.entries(prompts)) {
    const asked = {
      promptId: `${id.slice(0, -4)}f${String(lines.length).padStart(3, "0")}`,
      permissionMode: "default",
    };
    add("user", { role: "user", content: prompt }, asked);
    for (const command of commands) {
      const call = { type: "tool_use", id: `toolu_${lines.length}`, name: "Bash", input: { command } };
      const usage = {
        input_tokens: 900,
        output_tokens: 40,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      };
      const answer = { role: "assistant", model: "claude-opus-5", content: [call], stop_reason: "tool_use", usage };
      add("assistant", { id: `msg_${lines.length}`, type: "message", ...answer });
      const result = { type: "tool_result", tool_use_id: call.id, content: "done", is_error: false };
      const toolUseResult = { stdout: "done", stderr: "", interrupted: false, isImage: false };
      add("user", { role: "user", content: [result] }, { ...asked, toolUseResult });
    }
  }
  writeFileSync(join(folder, `${id}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

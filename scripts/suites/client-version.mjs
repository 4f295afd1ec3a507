/** Reads `--client VERSION` from a script's arguments. Ends the script with a message when it cannot be used. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const file = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "test", "interop", "clients.json");

export const clients = JSON.parse(readFileSync(file, "utf8"));

/** The version to use, and the arguments that are not about it. */
export function clientOption(args, usual = clients.newest) {
  const others = [];
  let version = usual;
  for (let index = 0; index < args.length; index++) {
    const [name, value] = args[index].split("=", 2);
    if (name !== "--client") others.push(args[index]);
    else version = value ?? args[++index];
  }
  if (version === "latest") version = newestPublished();
  if (!/^\d+\.\d+\.\d+$/.test(version ?? "")) {
    fail(`--client takes a version such as ${clients.newest}, or "latest"; got ${JSON.stringify(version ?? "")}.`);
  }
  return { version, others };
}

function newestPublished() {
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const { status, stdout, stderr } = spawnSync(npm, ["view", "@anthropic-ai/claude-code", "version"], {
    encoding: "utf8",
  });
  if (status !== 0) fail(`The package registry did not name the latest version: ${stderr.trim().split("\n").at(-1)}`);
  return stdout.trim();
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

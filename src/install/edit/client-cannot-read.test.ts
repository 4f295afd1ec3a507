import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { Problem } from "../../protocol/internal.ts";
import { type World, world } from "../fixtures/world.ts";
import { writeEntries } from "./install-entries.ts";
import { uninstall } from "./uninstall-entries.ts";

const commented = `\ufeff{\r\n\t// mine\r\n\t"permissions": { "deny": ["Bash(rm *)",] }, /* end */\r\n}`;

function away(here: World) {
  return uninstall({ places: here.call().places, home: here.source(), now: new Date("2026-01-02T00:00:00Z") });
}

async function refused(here: World): Promise<string> {
  const error: unknown = await writeEntries(here.call()).catch((one: unknown) => one);
  if (!(error instanceof Problem)) throw new Error("not refused");
  expect(error.code).toBe("settings/client-cannot-read");
  return error.message;
}

test("install writes nothing into a file that Claude Code drops, and names line and reason", async () => {
  const here = world();
  const { settingsFile } = here.call().places;
  const good = { hooks: [{ type: "command", command: "true" }] };
  const texts = {
    [commented]:
      "2:2: a comment, which is not allowed in JSON. Claude Code drops the whole file, its hooks included. Remove all comments and trailing commas. Or run: hookline install --strip-comments (keeps a backup). Nothing was written.",
    '{ "permissions": {}, }':
      "1:20: a trailing comma, which is not allowed in JSON. Claude Code drops the whole file, its hooks included. Remove all comments and trailing commas. Or run: hookline install --strip-comments (keeps a backup). Nothing was written.",
    [JSON.stringify({ hooks: { PreToolUse: [good, { hooks: [{ type: "command" }] }] } }, null, 1)]:
      "14:6: hooks.PreToolUse.1.hooks.0.command is missing. Claude Code drops the whole file, its hooks included. Correct it by hand. Nothing was written.",
    [JSON.stringify({ permissions: { defaultMode: "yolo" } }, null, 1)]:
      '3:3: permissions.defaultMode must be "acceptEdits" or "auto" or "bypassPermissions" or "default" or "dontAsk" or "plan", not "yolo". Claude Code drops the whole file, its hooks included. Correct it by hand. Nothing was written.',
  };
  for (const [text, message] of Object.entries(texts)) {
    writeFileSync(settingsFile, text);
    expect(await refused(here)).toBe(`${settingsFile}:${message}`);
    expect(readFileSync(settingsFile, "utf8")).toBe(text);
    expect(readdirSync(dirname(settingsFile))).toEqual(["hooks.mjs", "settings.json"]);
  }
});

test("with stripComments the file becomes plain JSON, a backup is kept, and uninstall restores every byte and the mode", async () => {
  const here = world();
  const { settingsFile } = here.call().places;
  writeFileSync(settingsFile, commented);
  chmodSync(settingsFile, 0o640);
  const { backup } = await writeEntries({ ...here.call(), stripComments: true });
  const now = JSON.parse(readFileSync(settingsFile, "utf8").replace("\ufeff", "")) as { permissions: unknown };
  expect(now.permissions).toEqual({ deny: ["Bash(rm *)"] });
  expect(readFileSync(backup ?? "", "utf8")).toBe(commented);
  // A second install needs the option no more, and keeps the way back.
  await writeEntries(here.call({ needs: [] }));
  expect((await away(here)).how).toBe("restored");
  expect(readFileSync(settingsFile, "utf8")).toBe(commented);
});

test("an entry of our own that was broken by hand is replaced by install", async () => {
  const here = world();
  const { settingsFile } = here.call().places;
  await writeEntries(here.call());
  const installed = readFileSync(settingsFile, "utf8");
  writeFileSync(settingsFile, installed.replace(/"timeout": \d+/, '"timeout": 0'));
  await writeEntries(here.call());
  expect(readFileSync(settingsFile, "utf8")).toBe(installed);
});

test("a dry run refuses such a file too", async () => {
  const here = world();
  writeFileSync(join(here.project, ".claude", "settings.json"), commented);
  await expect(writeEntries(here.call({ dryRun: true }))).rejects.toThrow("a comment");
});

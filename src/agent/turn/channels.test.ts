import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { joinTurns, type Message } from "../../models/internal.ts";
import { makeWorld, type World } from "../fixtures/agent-run.ts";

let world: World | undefined;
afterEach(() => world?.remove());

test("a resumed session sends the model the messages that the live session sent", async () => {
  world = makeWorld({
    files: { "notes.txt": "hello" },
    settings: { permissions: { allow: ["Bash"] } },
    hooks: {
      UserPromptSubmit: { print: "context of the prompt" },
      PostToolUse: {
        print: { hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "context of the tool" } },
      },
      PermissionRequest: { print: { systemMessage: "for the user only" } },
      Stop: { run: `test -e "$HOME/asked" || { touch "$HOME/asked"; echo "go on" >&2; exit 2; }` },
    },
  });
  const { run, project } = world;
  const live = await run(
    [
      { calls: [{ tool: "Read", input: { file_path: join(project, "notes.txt") } }] },
      { calls: [{ tool: "Bash", input: { command: "echo ran; exit 3" } }] },
      { calls: [{ tool: "Write", input: { file_path: "/nowhere/else", content: "refused" } }] },
      { text: "cut", stopReason: "max_tokens" },
      { text: "first" },
      { text: "last" },
    ],
    { prompt: "go" },
  );
  expect(live.result.result).toBe("last");
  const sent: readonly Message[] = live.requests.at(-1)?.messages ?? [];
  const resumed = await run([{ text: "again" }], { prompt: "more", resume: live.result.session_id });
  const answer: Message = { role: "assistant", content: [{ type: "text", text: "last" }] };
  const expected = joinTurns([...sent, answer]);
  const again = resumed.requests[0]?.messages.slice(0, expected.length) ?? [];
  expect(again.map(inBlocks)).toEqual(expected.map(inBlocks));
  expect(JSON.stringify(expected)).toContain("context of the tool");
  expect(JSON.stringify(expected)).not.toContain("for the user only");
});

/** A text and a list of one text block mean the same to the model. */
function inBlocks({ role, content }: Message): Message {
  return { role, content: typeof content === "string" ? [{ type: "text", text: content }] : content };
}

test("every function in the channel table of ARCHITECTURE.md exists in the agent", () => {
  const page = readFileSync(new URL("../../../ARCHITECTURE.md", import.meta.url), "utf8");
  const [, section = ""] = /## Channels of the agent\n([\s\S]*?)\n## /.exec(page) ?? [];
  const rows = section.split("\n").filter((line) => line.startsWith("| `"));
  const names = rows.flatMap((row) =>
    [...(row.split("|")[1] ?? "").matchAll(/`(?:\w+\.)?(\w+)`/g)].map(([, name]) => name),
  );
  expect(names.length).toBeGreaterThan(20);
  const agentFolder = join(import.meta.dirname, "..");
  const sources = readdirSync(agentFolder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .map((file) => readFileSync(join(agentFolder, file), "utf8"))
    .join("\n");
  expect(names.filter((name) => !new RegExp(`(?:function |readonly |  )${name}[(:]`).test(sources))).toEqual([]);
});

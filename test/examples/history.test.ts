import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const folder = resolve(import.meta.dirname, "../../examples/history/projects/-home-ana-shop");
const project = "/home/ana/shop";

type Call = readonly [tool: string, input: Readonly<Record<string, string>>];
const bash = (command: string): Call => ["Bash", { command }];
const read = (name: string): Call => ["Read", { file_path: `${project}/${name}` }];
const edit = (name: string, old_string: string, new_string: string): Call => [
  "Edit",
  { file_path: `${project}/${name}`, old_string, new_string },
];
const write = (file_path: string, content: string): Call => ["Write", { file_path, content }];

/** A week of work: the prompts of each session, each with the calls that the agent made for it. */
const sessions: readonly {
  readonly id: string;
  readonly start: string;
  readonly prompts: Readonly<Record<string, readonly Call[]>>;
}[] = [
  {
    id: "3b1f0c52-7d5e-4a7b-9a7e-0c7d5e4a7b01",
    start: "2026-11-09T09:02:11.480Z",
    prompts: {
      "Round totals to cents.": [
        read("src/total.ts"),
        edit("src/total.ts", "sum", "round(sum)"),
        bash("npm test"),
        bash('git commit -am "Round totals"'),
        bash("git push"),
      ],
      "Rebase it on main.": [
        bash("git fetch"),
        bash("git rebase origin/main"),
        bash("npm test"),
        bash("git push --force"),
      ],
    },
  },
  {
    id: "9c2e8a14-15b3-4c6d-8e2f-2a1415b34c02",
    start: "2026-11-11T14:37:45.902Z",
    prompts: {
      "Why does the build fail?": [
        bash("npm run build"),
        read("tsconfig.json"),
        read("package.json"),
        bash("npm ls typescript"),
      ],
      "Fix it and push.": [
        edit("package.json", "^4.9.5", "^5.9.3"),
        write(`${project}/package-lock.json`, "{}"),
        bash("npm run build"),
        bash('git commit -am "Fix build" && git push'),
      ],
    },
  },
  {
    id: "e07d6f39-4f1a-4b0c-a3d5-6f394f1a4b03",
    start: "2026-11-13T16:20:03.115Z",
    prompts: {
      "Clean up the history of my branch.": [
        bash("git log --oneline -20"),
        bash("git reset --soft HEAD~6"),
        bash('git commit -m "Search"'),
      ],
      "Push it.": [
        write("/home/ana/.gitconfig", "[push]\n\tdefault = current\n"),
        bash("git push --force origin main"),
      ],
    },
  },
];

/** A session as Claude Code writes it, without the fields that no command of Hookline needs. */
function transcript({ id, start, prompts }: (typeof sessions)[number]): string {
  const lines: { readonly uuid: string }[] = [];
  let time = Date.parse(start);
  const digest = (purpose: string) => createHash("sha256").update(`${id} ${lines.length} ${purpose}`).digest();
  const between = (least: number, most: number, purpose: string) =>
    least + (digest(purpose).readUInt32BE() % (most - least));
  const newId = (kind: string) => `${kind}_01${digest(kind).toString("base64").replace(/[+/=]/g, "").slice(0, 22)}`;
  const uuidOf = (letter: string) => `${id.slice(0, -4)}${letter}${String(lines.length).padStart(3, "0")}`;
  const add = (type: "user" | "assistant", message: object, more: object = {}) => {
    const common = { isSidechain: false, cwd: project, sessionId: id, timestamp: new Date(time).toISOString() };
    lines.push({
      parentUuid: lines.at(-1)?.uuid ?? null,
      uuid: uuidOf("0"),
      type,
      message,
      ...common,
      ...more,
    } as never);
  };
  for (const [prompt, calls] of Object.entries(prompts)) {
    const asked = { promptId: uuidOf("f"), permissionMode: "default", ...(lines.length === 0 ? { version } : {}) };
    add("user", { role: "user", content: prompt }, asked);
    for (const [name, input] of calls) {
      time += between(2_100, 9_800, "thinking");
      const call = { type: "tool_use", id: newId("toolu"), name, input };
      const usage = { input_tokens: between(600, 4_000, "input"), output_tokens: between(40, 190, "output") };
      const answer = { role: "assistant", model: "claude-opus-5", content: [call], stop_reason: "tool_use", usage };
      add("assistant", { id: newId("msg"), type: "message", ...answer });
      time += name === "Bash" ? between(180, 14_000, "running") : between(8, 60, "running");
      const result = { type: "tool_result", tool_use_id: call.id, content: "done" };
      add("user", { role: "user", content: [result] }, { toolUseResult: toolUseResult(name, input) });
    }
    time += between(40_000, 400_000, "pause");
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

const version = "2.1.325";

function toolUseResult(tool: string, { file_path: filePath, old_string, new_string, content }: Call[1]): object {
  if (tool === "Read")
    return { type: "text", file: { filePath, content: "", numLines: 1, startLine: 1, totalLines: 1 } };
  if (tool === "Edit") return { filePath, oldString: old_string, newString: new_string };
  return tool === "Write" ? { type: "create", filePath, content } : { stdout: "done", stderr: "" };
}

// HOOKLINE_WRITE_DOCS=1 npx vitest run test/examples/history
test("the sessions of examples/history are those of this script", () => {
  const made = Object.fromEntries(sessions.map((session) => [`${session.id}.jsonl`, transcript(session)]));
  if (process.env["HOOKLINE_WRITE_DOCS"])
    for (const [name, text] of Object.entries(made)) writeFileSync(join(folder, name), text);
  const shipped = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]);
  expect(Object.fromEntries(shipped)).toEqual(made);
});

test("no two calls of examples/history share an id, and their durations differ", () => {
  const text = sessions.map(transcript).join("");
  for (const id of [/"id":"msg_\w{24}"/g, /"id":"toolu_\w{24}"/g]) expect(new Set(text.match(id)).size).toBe(22);
  const times = [...text.matchAll(/"timestamp":"([^"]+)"/g)].map(([, time = ""]) => Date.parse(time));
  expect(new Set(times.map((time, at) => time - (times[at - 1] ?? 0))).size).toBeGreaterThan(40);
});

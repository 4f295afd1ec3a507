import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { processStart } from "../../files/internal.ts";
import type { SessionRoot } from "../find/session-roots.ts";
import { recorded, write } from "../fixtures/transcript.ts";
import type { Entry } from "../model/entry.ts";
import { loadFileHistory, readHistory } from "./claude-code-files.ts";
import { loadTasks, saveTask, type Task } from "./claude-code-tasks.ts";
import { liveSessions, watchLive } from "./live-sessions.ts";

let home: string;
let root: SessionRoot;
const extras = join(recorded, "_home-extras");
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "hookline-home-"));
  mkdirSync(join(home, "projects"));
  root = { path: home, origin: "client" };
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const problem = (code: string) => expect.objectContaining({ name: "Problem", code });

describe("the live registry", () => {
  const register = (pid: number, note: Record<string, unknown>) =>
    write(join(home, `sessions/${pid}.json`), [{ pid, sessionId: "s1", ...note }]);

  test("a session lives only if its process does, with the same start time", async () => {
    const start = processStart(process.pid);
    register(process.pid, { procStart: start, status: "busy" });
    register(process.ppid, { procStart: "1" });
    register(999_999_999, { procStart: "1" });
    const all = await liveSessions({ roots: [root], all: true });
    expect(all.map(({ pid, live }) => [pid, live])).toEqual(
      [
        [process.pid, process.platform === "linux" ? "yes" : "unknown"],
        [process.ppid, process.platform === "linux" ? "no" : "unknown"],
        [999_999_999, "no"],
      ].sort((a, b) => Number(a[0]) - Number(b[0])),
    );
    expect((await liveSessions({ roots: [root] })).map(({ pid }) => pid)).not.toContain(999_999_999);
  });

  test("where start times cannot be compared, the answer is unknown", async () => {
    register(5, { procStart: "1" });
    register(6, {});
    const of = async (startOf: () => string | undefined) =>
      (await liveSessions({ roots: [root], startOf, all: true })).map(({ live }) => live);
    expect(await of(() => undefined)).toEqual(["unknown", "unknown"]);
    expect(await of(() => "1")).toEqual(["yes", "unknown"]);
    expect(await of(() => "2")).toEqual(["no", "unknown"]);
    expect(await of(() => "gone")).toEqual(["no", "no"]);
  });

  test("every recorded version of a note is read: status, what is waited for, /clear in place", async () => {
    const seen: string[] = [];
    for (const line of readFileSync(join(extras, "sessions-registry-changes.jsonl"), "utf8").trim().split("\n")) {
      const { file, content } = JSON.parse(line) as { file: string; content?: Record<string, unknown> };
      if (content === undefined) continue;
      write(join(home, file), [content]);
      const [session] = await liveSessions({ all: true, roots: [root], startOf: () => "117691" });
      seen.push(
        [session?.sessionId.slice(0, 2), session?.status, session?.waitingFor, session?.headless, session?.live].join(
          " ",
        ),
      );
    }
    expect(seen[0]).toBe("b3 unknown  false yes");
    expect(seen.slice(4, 7)).toEqual([
      "b3 busy  false yes",
      "b3 waiting permission prompt false yes",
      "b3 busy  false yes",
    ]);
    expect(seen.at(-1)).toBe("70 idle  false yes");
    expect(seen.length).toBe(25);
  });

  test("kind or entrypoint mark a headless session; older words, unknown fields and half written notes are not errors", async () => {
    register(1, { entrypoint: "sdk-cli", kind: "interactive", mood: "fine" });
    register(2, { entrypoint: "cli", kind: "print" });
    register(3, { entrypoint: "hookline", status: "working" });
    write(join(home, "sessions/4.json"), ['{"pid":4,"sess']);
    write(join(home, "sessions/notes.txt"), ["x"]);
    const all = await liveSessions({ all: true, roots: [root], startOf: () => undefined });
    expect(all.map(({ pid, headless, status, extra }) => [pid, headless, status, extra])).toEqual([
      [1, true, "unknown", { mood: "fine" }],
      [2, true, "unknown", undefined],
      [3, false, "busy", undefined],
    ]);
  });

  test("watch reports what starts, changes and ends", async () => {
    const abort = new AbortController();
    register(1, { status: "idle" });
    const seen: string[] = [];
    const steps = [
      () => void register(1, { status: "busy" }),
      () => void register(1, { status: "busy", sessionId: "s2" }),
      () => rmSync(join(home, "sessions/1.json")),
      () => abort.abort(),
    ];
    for await (const { kind, session, before } of watchLive({
      roots: [root],
      startOf: () => undefined,
      signal: abort.signal,
      pollMs: 20,
    })) {
      seen.push(`${kind} ${session.sessionId} ${session.status} ${before?.status ?? ""}`.trim());
      steps.shift()?.();
    }
    expect(seen).toEqual(["started s1 idle", "changed s1 busy idle", "changed s2 busy busy", "ended s2 busy"]);
  });
});

test("history comes newest first, by project and text, bad lines passed over", async () => {
  cpSync(join(extras, "history.jsonl"), join(home, "history.jsonl"));
  appendFileSync(join(home, "history.jsonl"), '{junk\n{"display":"elsewhere","project":"/x","timestamp":1}\n');
  const read = async (options: object = {}) => {
    const list: string[] = [];
    for await (const { display } of readHistory({ roots: [root], ...options })) list.push(display);
    return list;
  };
  expect(await read()).toEqual([
    "elsewhere",
    "/exit",
    "after clear",
    "/clear",
    "make-400",
    "/compact",
    "go-agent",
    "/foo bar",
    "go-cd",
    "read-nested",
    "ask-me now",
    "hello there",
  ]);
  expect(await read({ project: "/home/dev/project", text: "GO-" })).toEqual(["go-agent", "go-cd"]);
  rmSync(join(home, "history.jsonl"));
  expect(await read()).toEqual([]);
});

describe("tasks", () => {
  const id = "11111111-1111-4111-8111-111111111111";
  const one = async (): Promise<Task> => {
    const [task] = await loadTasks(root, id);
    if (task === undefined) throw new Error("no task");
    return task;
  };
  const put = (fields: Record<string, unknown>) => write(join(home, `tasks/${id}/1.json`), [{ id: "1", ...fields }]);

  test("the recorded task is read; any status can be loaded; order is by number", async () => {
    cpSync(join(extras, "tasks"), join(home, "tasks"), { recursive: true });
    expect(await loadTasks(root, id)).toMatchObject([
      {
        id: "1",
        subject: "T1",
        description: "d",
        activeForm: "Doing T1",
        status: "in_progress",
        blocks: [],
        blockedBy: [],
      },
    ]);
    write(join(home, `tasks/${id}/10.json`), [{ id: "10", status: "napping" }]);
    write(join(home, `tasks/${id}/2.json`), [{ id: "2", blockedBy: ["1"] }]);
    write(join(home, `tasks/${id}/3.json`), ["{half"]);
    expect((await loadTasks(root, id)).map(({ id: number, status, blockedBy }) => [number, status, blockedBy])).toEqual(
      [
        ["1", "in_progress", []],
        ["2", undefined, ["1"]],
        ["10", "napping", []],
      ],
    );
    expect(await loadTasks(root, "nobody")).toEqual([]);
  });

  test("only the steps of the list can be saved, others with force", async () => {
    const tried: string[] = [];
    for (const from of ["pending", "in_progress", "completed", "cancelled", "napping"]) {
      for (const to of ["pending", "in_progress", "completed", "cancelled"]) {
        put({ status: from });
        const saved = await saveTask(await one(), { status: to }).then(
          () => true,
          (error: { code: string }) => error.code,
        );
        if (saved === true) tried.push(`${from} → ${to}`);
        else expect(saved).toBe("sessions/bad-transition");
      }
    }
    expect(tried).toEqual([
      ...["pending → pending", "pending → in_progress", "pending → cancelled"],
      ...["in_progress → in_progress", "in_progress → completed", "in_progress → cancelled"],
      ...["completed → completed", "cancelled → cancelled"],
      ...["napping → pending", "napping → in_progress", "napping → completed", "napping → cancelled"],
    ]);
    put({ status: "completed" });
    expect(await saveTask(await one(), { status: "pending" }, { force: true })).toMatchObject({ status: "pending" });
  });

  test("unknown fields stay, a change in between is refused, nothing is left behind", async () => {
    put({ status: "pending", owner: "me" });
    const task = await one();
    const saved = await saveTask(task, { status: "in_progress" });
    expect(JSON.parse(readFileSync(task.file, "utf8"))).toEqual({ id: "1", status: "in_progress", owner: "me" });
    await expect(saveTask(task, { status: "cancelled" })).rejects.toEqual(problem("sessions/changed"));
    await saveTask(saved, { status: "completed" });
    expect(readdirSync(join(home, "tasks", id))).toEqual(["1.json"]);
  });

  test("of several saves of one task at once, one is written and the others are refused", async () => {
    put({ status: "pending" });
    const task = await one();
    const saves = await Promise.allSettled(["a", "b", "c", "d"].map((subject) => saveTask(task, { subject })));
    expect(saves.filter(({ status }) => status === "fulfilled").length).toBe(1);
    for (const save of saves)
      if (save.status === "rejected") expect(save.reason).toEqual(problem("sessions/changed"));
      else expect((await one()).subject).toBe(save.value.subject);
    const kept = await saveTask(await one(), { status: undefined as never, subject: "z" });
    expect(kept).toMatchObject({ status: "pending", subject: "z" });
  });

  test("in the home of Claude Code a running session's tasks are not written; in our own store they are", async () => {
    put({ status: "pending" });
    write(join(home, "sessions/7.json"), [{ pid: 7, sessionId: id, procStart: "1" }]);
    const startOf = () => "1";
    await expect(saveTask(await one(), { status: "in_progress" }, { startOf })).rejects.toEqual(
      problem("sessions/live"),
    );
    await saveTask(await one(), { status: "in_progress" }, { startOf: () => "2" });
    root = { path: home, origin: "hookline" };
    await saveTask(await one(), { status: "completed" }, { startOf });
    expect((await one()).status).toBe("completed");
  });

  test("an id that is a path touches nothing", async () => {
    for (const bad of ["../projects", "a/b", "", "..", "C:\\x", "x".repeat(300)]) {
      await expect(loadTasks(root, bad)).rejects.toEqual(problem("sessions/unsafe-id"));
      await expect(loadFileHistory(root, bad, [])).rejects.toEqual(problem("sessions/unsafe-id"));
    }
    const outside = mkdtempSync(join(tmpdir(), "hookline-outside-"));
    mkdirSync(join(home, "tasks"));
    symlinkSync(outside, join(home, "tasks/s1"));
    await expect(loadTasks(root, "s1")).rejects.toEqual(problem("sessions/unsafe-id"));
    rmSync(outside, { recursive: true });
  });
});

test("backups of files are joined with the lines that say what they are", async () => {
  cpSync(join(extras, "file-history"), join(home, "file-history"), { recursive: true });
  const id = "caa64082-c010-438f-8a73-e223779394f4";
  const tracked = {
    "src/a.ts": { backupFileName: "db5b34160294b83d@v2", version: 2, backupTime: "T" },
    "b.ts": { backupFileName: null },
  };
  const entries = [
    { kind: "file-history-snapshot", messageId: "m1", snapshot: { trackedFileBackups: tracked } },
    { kind: "file-history-snapshot", messageId: "m2", snapshot: { trackedFileBackups: tracked } },
  ] as unknown as Entry[];
  const backups = await loadFileHistory(root, id, entries);
  expect(
    backups.map(({ name, version, sizeBytes, path, messageId, takenAt }) => [
      name,
      version,
      sizeBytes,
      path,
      messageId,
      takenAt,
    ]),
  ).toEqual([
    ["db5b34160294b83d@v2", 2, 3, "src/a.ts", "m1", "T"],
    ["db5b34160294b83d@v3", 3, 3, undefined, undefined, undefined],
  ]);
  expect((await backups[0]?.read())?.toString()).toBe(
    readFileSync(join(extras, "file-history", id, "db5b34160294b83d@v2"), "utf8"),
  );
});

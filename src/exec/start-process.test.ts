import { existsSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runProcess, startProcess } from "./internal.ts";
import type { FinishedProcess } from "./process-run.ts";

const cwd = realpathSync(mkdtempSync(join(tmpdir(), "exec-")));
const base = { cwd, env: { ...process.env }, timeoutMs: 60_000 };
const fixtures = join(import.meta.dirname, "fixtures");
const sh = (command: string) => ({ form: "shell", command }) as const;
const quiet = (text = "") => ({ text, droppedBytes: 0 });
const exit0 = (finished: FinishedProcess, stdout: string): FinishedProcess => ({
  ended: { by: "exit", code: 0 },
  stdout: quiet(stdout),
  stderr: quiet(),
  durationMs: finished.durationMs,
  leaked: [],
});

test("a process gets its input, folder and environment, and its result has all fields", async () => {
  const finished = await runProcess(sh('cat; pwd; echo "$WORD $TAG"; echo oops >&2; exit 7'), {
    ...base,
    env: { ...process.env, WORD: "hello" },
    tag: { name: "TAG", value: "t-1" },
    input: '{"a":"é"}\n',
  });
  expect(finished).toEqual({
    ended: { by: "exit", code: 7 },
    stdout: quiet(`{"a":"é"}\n${cwd}\nhello t-1\n`),
    stderr: quiet("oops\n"),
    durationMs: expect.any(Number),
    leaked: [],
  });
});

test("in exec form no shell looks at the arguments", async () => {
  const args = ["-c", 'for a; do echo "[$a]"; done', "sh", "a b", "$HOME", "*", "`id`", ""];
  const finished = await runProcess({ form: "exec", file: "sh", args }, base);
  expect(finished).toEqual(exit0(finished, "[a b]\n[$HOME]\n[*]\n[`id`]\n[]\n"));
});

test("a process leads a session and a group of its own and has no terminal", async () => {
  const running = startProcess(sh("cut -d' ' -f5,6,7 /proc/$$/stat"), base);
  const finished = await running.done;
  expect(finished).toEqual(exit0(finished, `${running.pid} ${running.pid} 0\n`));
});

test("death by a signal is not an exit", async () => {
  const finished = await runProcess(sh("echo '{}'; kill -SEGV $$"), base);
  expect(finished).toEqual({ ...exit0(finished, "{}\n"), ended: { by: "signal", signal: "SIGSEGV" } });
});

test("a run ends with the exit of its process, not with the end of its output; a child is left alive", async () => {
  const finished = await runProcess(sh("sleep 60 & echo $!; exit 0"), { ...base, drainMs: 10 });
  expect(finished.ended).toEqual({ by: "exit", code: 0 });
  expect(process.kill(Number(finished.stdout.text), "SIGKILL")).toBe(true);
});

test("what comes within the drain is read even if this process was busy until after it", async () => {
  const [go, mark] = [join(cwd, "go"), join(cwd, "written")];
  const held = `(until [ -e ${go} ]; do sleep 0.02; done; echo late; : > ${mark}; sleep 60) & echo early`;
  const running = startProcess(sh(held), { ...base, drainMs: 50 });
  const pid = running.pid ?? 0;
  // Timers run in the order of their times: this one comes before that of the drain, however late both are.
  const polling = setInterval(() => {
    if (existsSync(`/proc/${pid}`)) return;
    clearInterval(polling);
    writeFileSync(go, "");
    spinUntil(() => existsSync(mark), 100);
  }, 5);
  const finished = await running.done;
  process.kill(-pid, "SIGKILL");
  expect(finished.stdout.text).toBe("early\nlate\n");
});

test("a process that ended in time is not a timeout, even if this process was busy past the limit", async () => {
  const running = startProcess(sh("echo done"), { ...base, timeoutMs: 50 });
  spinUntil(() => /\) Z /.test(readFileSync(`/proc/${running.pid}/stat`, "utf8")), 100);
  const finished = await running.done;
  expect(finished).toEqual(exit0(finished, "done\n"));
});

test("a large input arrives whole", async () => {
  const finished = await runProcess(sh("wc -c"), { ...base, input: Buffer.alloc(7_000_001, "é") });
  expect(finished).toEqual(exit0(finished, "7000001\n"));
});

test("a stream is kept up to its cap, read to its end and counted", async () => {
  const finished = await runProcess(sh("head -c 5000000 /dev/zero; printf '%s' 'tail' >&2"), {
    ...base,
    capBytes: 1_000,
  });
  expect(finished).toEqual({
    ...exit0(finished, "\0".repeat(1_000)),
    stdout: { text: "\0".repeat(1_000), droppedBytes: 4_999_000 },
    stderr: quiet("tail"),
  });
});

test("input kept open takes an answer later, and the asking line is not part of the output", async () => {
  const asking = startProcess(
    { form: "exec", file: process.execPath, args: [join(fixtures, "asks-a-question.mjs")] },
    {
      ...base,
      input: "hello\n",
      keepInputOpen: true,
      onLine: (line) => {
        if (!line.startsWith("question")) return "keep";
        asking.pauseDeadline();
        setImmediate(() => {
          asking.resumeDeadline();
          asking.write("blue\n");
        });
        return "take";
      },
    },
  );
  const finished = await asking.done;
  expect(finished).toEqual(exit0(finished, "hello blue\n"));
});

test("input kept open can be closed, and writing after that or after the end has no effect", async () => {
  const running = startProcess(sh("cat"), { ...base, input: "a\n", keepInputOpen: true });
  running.write("b\n");
  running.endInput();
  running.write("c\n");
  running.endInput();
  const finished = await running.done;
  running.write("d\n");
  running.cancel();
  running.setDeadline(1);
  expect(finished).toEqual(exit0(finished, "a\nb\n"));
});

test("the output so far can be read while the process runs", async () => {
  const running = startProcess(sh("echo one >&2; echo two; read line; echo three"), { ...base, keepInputOpen: true });
  await expect.poll(running.soFar).toEqual({ stdout: "two\n", stderr: "one\n" });
  running.write("\n");
  const finished = await running.done;
  expect(finished.stdout).toEqual(quiet("two\nthree\n"));
});

test("the limit can be replaced while the process runs", async () => {
  const running = startProcess(sh("read line; echo late"), { ...base, keepInputOpen: true, timeoutMs: 1 });
  running.setDeadline(60_000);
  spinUntil(() => true, 5);
  running.write("\n");
  const finished = await running.done;
  expect(finished).toEqual(exit0(finished, "late\n"));
  const shortened = startProcess(sh("sleep 60"), base);
  shortened.setDeadline(1);
  expect((await shortened.done).ended).toEqual({ by: "timeout", afterMs: 1 });
});

test("an unreferenced process does not keep this one from exiting, and its end is still reported", async () => {
  const holding = () =>
    process
      .getActiveResourcesInfo()
      .filter((name) => /Process|Pipe|Timeout/.test(name))
      .sort();
  const before = holding();
  const running = startProcess(sh("read line; echo $line"), { ...base, keepInputOpen: true });
  expect(holding()).not.toEqual(before);
  running.unref();
  expect(holding()).toEqual(before);
  running.write("bye\n");
  const finished = await running.done;
  expect(finished).toEqual(exit0(finished, "bye\n"));
});

/** A clock that goes ten milliseconds further each time it is read. */

/** Keeps this process busy until it holds, and for so long at least. */
function spinUntil(holds: () => boolean, atLeastMs: number): void {
  const end = performance.now() + atLeastMs;
  while (performance.now() < end || !holds());
}

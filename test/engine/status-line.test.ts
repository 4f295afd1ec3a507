import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { until } from "../until.ts";
import { openIn, processesWith, writeUserSettings } from "./world.ts";

const line = (command: string) => ({ statusLine: { type: "command", command } });

test("the command gets the input on stdin and its lines come back", async () => {
  const { engine } = await openIn(line("cat; printf 'two\\n\\n'"));
  expect(await engine.statusLine({ model: "large-1" })).toEqual(['{"model":"large-1"}', "two"]);
});

test("further files come before local, local before project, project before user", async () => {
  const { engine, project, home } = await openIn(line("echo user"));
  const seen = [await engine.statusLine({})];
  writeFileSync(join(project, ".claude/settings.json"), JSON.stringify(line("echo project")));
  await engine.reload();
  seen.push(await engine.statusLine({}));
  writeFileSync(join(project, ".claude/settings.local.json"), JSON.stringify(line("echo local")));
  await engine.reload();
  seen.push(await engine.statusLine({}));
  expect(seen).toEqual([["user"], ["project"], ["local"]]);
  const further = await openIn({}, { home, cwd: project, settings: [JSON.stringify(line("echo further"))] });
  expect(await further.engine.statusLine({})).toEqual(["further"]);
});

test("colors are kept, other control sequences are not", async () => {
  const { engine } = await openIn(line("printf '\\033[31mred\\033[0m \\033]0;title\\007\\033[2Jplain'"));
  expect(await engine.statusLine({})).toEqual(["\u001b[31mred\u001b[0m plain"]);
});

test("the newest call wins and the older run is ended", async () => {
  const { engine, project, mark } = await openIn(
    line("if grep -q slow; then touch started; sleep 60; else echo quick; fi"),
  );
  const slow = engine.statusLine("slow");
  await until("started is there", () => existsSync(join(project, "started")));
  expect(await engine.statusLine("quick")).toEqual(["quick"]);
  await slow;
  if (process.platform === "linux") expect(processesWith(mark)).toEqual([]);
});

test("calls in a row are one run, with the input of the last", async () => {
  const { engine, project } = await openIn(line("echo run >> log; cat"));
  await engine.statusLine(0);
  const calls = [1, 2, 3, 4].map((input) => engine.statusLine(input));
  expect((await Promise.all(calls)).at(-1)).toEqual(["4"]);
  expect(readFileSync(join(project, "log"), "utf8")).toBe("run\nrun\n");
});

test("a failure keeps the last lines and is reported once", async () => {
  const { engine, project } = await openIn(line("[ ! -e broken ] || { echo out of paper >&2; exit 1; }; echo fine"));
  expect(await engine.statusLine({})).toEqual(["fine"]);
  writeFileSync(join(project, "broken"), "");
  expect(await engine.statusLine({})).toEqual(["fine"]);
  expect(await engine.statusLine({})).toEqual(["fine"]);
  const { warnings } = await engine.fire("Stop", {});
  const failures = warnings.filter(({ code }) => code === "status-line-failed");
  expect(failures).toHaveLength(1);
  expect(failures[0]?.message).toContain("out of paper");
});

test("without a command there are no lines; policy and trust count as for any hook", async () => {
  const { engine, home } = await openIn({});
  expect(await engine.statusLine({})).toEqual([]);
  writeUserSettings(home, { disableAllHooks: true, ...line("echo user") });
  await engine.reload();
  expect(await engine.statusLine({})).toEqual([]);

  const stranger = await openIn({}, { trust: "pinned" });
  writeFileSync(join(stranger.project, ".claude/settings.json"), JSON.stringify(line("touch made; echo project")));
  await stranger.engine.reload();
  expect(await stranger.engine.statusLine({})).toEqual([]);
  expect(existsSync(join(stranger.project, "made"))).toBe(false);
});

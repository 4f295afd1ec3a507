import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { reportNames } from "../../usage/internal.ts";
import type { Io } from "../command-line/command.ts";
import { callHookline } from "../fixtures/caller.ts";
import { displayWidth } from "../print/table.ts";
import { progressLine } from "../print/terminal.ts";

const recorded = resolve(import.meta.dirname, "../../../test/fixtures/transcripts");
let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "hookline-cli-")));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function has(...fixtures: string[]): void {
  for (const name of fixtures)
    cpSync(join(recorded, name), join(home, ".claude/projects", `-${name}`), { recursive: true });
}

function hookline(args: readonly string[], terminal: Partial<Io["terminal"]> = {}, stdin = "") {
  return callHookline(args, {
    home,
    cwd: "/home/dev/project",
    env: { HOOKLINE_HOME: join(home, "state") },
    terminal,
    stdin,
  });
}

/** One answer of a made-up session, 2,550 micro-dollars. */
function call(id: string, at: string, more: object = {}): string {
  const usage = { input_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 100 };
  const message = { id, role: "assistant", model: "claude-opus-5", content: [], stop_reason: "end_turn", usage };
  const line = { type: "assistant", isSidechain: false, message, requestId: id, uuid: id, timestamp: at, cwd: "/w" };
  return `${JSON.stringify({ ...line, ...more })}\n`;
}

const id = "33333333-3333-4333-8333-333333333333";

function session(lines: string): string {
  const folder = join(home, ".claude/projects/-w");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${id}.jsonl`);
  writeFileSync(path, lines);
  return path;
}

test("there are seven reports, daily is the default, and a wrong name gets a hint", async () => {
  has("a-plain", "b-subagent");
  for (const name of reportNames) {
    const { status, out } = await hookline(["usage", name, "--json", "--timezone", "UTC"]);
    expect([status, JSON.parse(out).schema]).toEqual([0, `hookline.usage.${name}/1`]);
  }
  expect(JSON.parse((await hookline(["usage", "--json"])).out).schema).toBe("hookline.usage.daily/1");
  expect(await hookline(["usage", "dialy"])).toMatchObject({
    status: 1,
    err: expect.stringContaining("Did you mean daily"),
  });
  expect(await hookline(["usage", "daily", "weekly"])).toMatchObject({ status: 1 });
  expect(await hookline(["usage", "--mode", "free"])).toMatchObject({
    status: 1,
    err: expect.stringContaining("auto, calculate or display"),
  });
  expect(await hookline(["usage", "blocks", "--token-limit", "lots"])).toMatchObject({ status: 1 });
});

test("a model or project that no transcript has is named on stderr, with the closest name or those that exist", async () => {
  session(call("m1", "2026-10-04T10:00:00.000Z", { cwd: "/home/dev/shop" }));
  const asked = async (...args: string[]) => {
    const { status, out, err } = await hookline(["usage", ...args]);
    return [status, out, err];
  };
  const none = "No usage.\n";
  expect(await asked("--model", "claude-opsu-5")).toEqual([
    ...[0, none, 'hookline: No transcript has the model "claude-opsu-5". Did you mean "claude-opus-5"?\n'],
  ]);
  expect(await asked("--model", "gpt")).toEqual([
    ...[0, none, 'hookline: No transcript has the model "gpt". There is usage of claude-opus-5.\n'],
  ]);
  expect(await asked("--project", "shpo")).toEqual([
    ...[0, none, 'hookline: No transcript has the project "shpo". Did you mean "shop"?\n'],
  ]);
  expect(await asked("--model", "claude-opus-5", "--until", "2026-01-01")).toEqual([
    ...[0, "No usage until 2026-01-01.\n", ""],
  ]);
});

test("--show-prices without usage prints all prices", async () => {
  const { out } = await hookline(["usage", "models", "--show-prices"]);
  expect(out).toMatch(/^No usage\.\n(?:.+ per million; .+\n)+$/);
  expect(out).toContain("claude-opus-5");
});

test("every option reaches the report", async () => {
  session(call("m1", "2026-10-04T10:00:00.000Z") + call("m2", "2026-10-05T10:00:00.000Z", { costUSD: 1 }));
  const totals = async (...args: string[]) =>
    JSON.parse((await hookline(["usage", ...args, "--json", "--timezone", "UTC"])).out).totals;
  expect(await totals()).toMatchObject({ calls: 2, costMicroUsd: 1_002_550 });
  expect(await totals("--since", "20261005")).toMatchObject({ calls: 1 });
  expect(await totals("--until", "2026-10-04")).toMatchObject({ calls: 1, costMicroUsd: 2_550 });
  expect(await totals("--mode", "calculate")).toMatchObject({ costMicroUsd: 5_100 });
  expect(await totals("--project", "w")).toMatchObject({ calls: 2 });
  expect(await totals("--project", ".")).toMatchObject({ calls: 0 });
  expect(await totals("--session", "3333")).toMatchObject({ calls: 2 });
  expect(await totals("--model", "claude-haiku-4-5")).toMatchObject({ calls: 0 });
  expect(await totals("--subagent", "main")).toMatchObject({ calls: 2 });
  // The older name, which help does not show.
  expect(await totals("--agent", "main")).toMatchObject({ calls: 2 });
  mkdirSync(join(home, "elsewhere/projects"), { recursive: true });
  expect(await totals("--root", join(home, "elsewhere"))).toMatchObject({ calls: 0 });
  expect(await totals("--no-index")).toMatchObject({ calls: 2 });
  expect(await totals("--rescan")).toMatchObject({ calls: 2 });
  const { rows } = JSON.parse(
    (await hookline(["usage", "--by", "model", "--by", "subagent", "--order", "desc", "--json"])).out,
  );
  expect(rows[0]).toMatchObject({ date: "2026-10-05", models: [{ calls: 1 }], agents: [{ agentType: "main" }] });
});

test("a table fits the terminal, keeps the classes apart and has the cost last", async () => {
  has("a-plain", "b-subagent", "e-compact-interactive", "i-permission-hooks-interactive");
  for (const columns of [60, 80, 100, 140, 200]) {
    for (const name of reportNames) {
      const { out } = await hookline(["usage", name, "--timezone", "UTC"], { out: true, columns });
      const [header = "", ...lines] = out.split("\n");
      if (columns >= 80)
        expect(Math.max(...[header, ...lines].map(displayWidth)), `${name} ${columns}`).toBeLessThanOrEqual(columns);
      expect(header.trim().split(/ {2,}/).slice(-7), name).toEqual(
        header.includes("input")
          ? ["calls", "input", "output", "write 5m", "write 1h", "cache read", "cost"]
          : ["calls", "in", "out", "w 5m", "w 1h", "read", "cost"],
      );
    }
  }
});

test("the daily table has a row for each day, a total, and the models without a price", async () => {
  session(
    call("m1", "2026-10-04T10:00:00.000Z") +
      call("m2", "2026-10-05T10:00:00.000Z", { message: { ...JSON.parse(call("m2", "")).message, model: "acme-1" } }),
  );
  const { out } = await hookline(["usage", "--timezone", "UTC"]);
  expect(out).toBe(
    [
      "day         calls  input  output  write 5m  write 1h  cache read              cost",
      "2026-10-04      1     10     100         0         0           0           $0.0026",
      "2026-10-05      1     10     100         0         0           0    at least $0.00",
      "Total           2     20     200         0         0           0  at least $0.0026",
      "no price for acme-1 (1 call)",
      "",
    ].join("\n"),
  );
});

test("no data is an empty report and status 0", async () => {
  expect(await hookline(["usage"])).toEqual({ status: 0, out: "No usage.\n", err: "" });
  expect(await hookline(["usage", "--since", "2026-10-01", "--timezone", "UTC"])).toMatchObject({
    status: 0,
    out: "No usage since 2026-10-01.\n",
  });
});

test("models --show-prices prints the rows that were used and where they come from", async () => {
  session(call("m1", "2026-10-04T10:00:00.000Z"));
  const { out } = await hookline(["usage", "models", "--show-prices"]);
  expect(out).toMatch(
    /claude-opus-5.*: input \$5, output \$25, cache write \$6.25 \(5m\) and \$10 \(1h\), cache read \$0.5 per million; https:.*, read 20\d\d/,
  );
});

test("--csv gives the rows; a name that a spreadsheet would run as a formula is kept from it", async () => {
  session(call("m1", "2026-10-04T10:00:00.000Z"));
  const { out } = await hookline(["usage", "--csv", "--timezone", "UTC"]);
  expect(out).toBe(
    "date,calls,openCalls,apiErrors,inputTokens,outputTokens,thinkingTokens,cacheWrite5mTokens,cacheWrite1hTokens,cacheReadTokens,webSearches,costMicroUsd,complete\n" +
      "2026-10-04,1,0,0,10,100,0,0,0,0,0,2550,true\n",
  );
  appendFileSync(
    join(home, ".claude/projects/-w", `${id}.jsonl`),
    `${JSON.stringify({ type: "ai-title", aiTitle: '=HYPERLINK("x"),\nnext', sessionId: id })}\n`,
  );
  const sessions = await hookline(["usage", "session", "--csv"]);
  const beside = (await hookline(["usage", "session", "--csv", "--reconcile"])).out.split("\n");
  expect(beside[0]).toMatch(/,complete,clientMicroUsd,statuslineMicroUsd,differenceMicroUsd$/);
  expect(beside.at(-2)).toMatch(/,true,,,$/);
  expect(sessions.out).toContain(`"'=HYPERLINK(""x""),\nnext"`);
});

test("--csv of blocks has a column for each figure of burn, projection and limit", async () => {
  session(call("m1", "2026-10-04T10:00:00.000Z"));
  const { out } = await hookline(["usage", "blocks", "--csv", "--token-limit", "220"]);
  const [names = "", first = ""] = out.split("\n");
  const row = Object.fromEntries(names.split(",").map((name, n) => [name, first.split(",")[n]]));
  expect(names).toMatch(/,burnTokensPerMinute,burnCostMicroUsdPerHour,projectionTokens,/);
  expect([row["limitTokens"], row["limitShare"], row["calls"]]).toEqual(["220", "0.5", "1"]);
  expect(out).not.toContain("[object");
});

test.each([".", "./", "../project", "/home/dev/project/", "project", "project/"])(
  "--project %s is the project",
  async (project) => {
    has("a-plain");
    const { rows } = JSON.parse((await hookline(["usage", "projects", "--project", project, "--json"])).out);
    expect(rows).toMatchObject([{ project: "/home/dev/project", sessions: 1 }]);
  },
);

test("the text of a report has every warning that --json has", async () => {
  const usage = {
    input_tokens: -1,
    cache_creation_input_tokens: 70,
    output_tokens: 100,
    speed: "fast",
    service_tier: "batch",
  };
  const message = { id: "m2", role: "assistant", model: "claude-opus-5", content: [], stop_reason: null, usage };
  session(call("m1", "2026-10-07T10:00:00Z") + call("m2", "2026-10-07T10:00:01Z", { message }));
  const { warnings } = JSON.parse((await hookline(["usage", "--json"])).out);
  const codes = warnings.map((warning: { code: string }) => warning.code);
  expect(codes).toEqual(["odd-count", "assumed-5m", "fast-and-batch", "open-calls"]);
  const { out } = await hookline(["usage"]);
  for (const { count, message } of warnings) expect(out).toContain(`${count} × ${message}`);
  const written = await hookline(["usage", "--mode", "display"]);
  expect(written.out).toContain("2 × no cost was written with these calls");
});

test("text from transcripts is printed without control characters", async () => {
  const title = "\u001b[31mred\u202e \u0007bell";
  session(`${call("m1", "2026-10-04T10:00:00.000Z")}${JSON.stringify({ type: "ai-title", aiTitle: title })}\n`);
  const { out } = await hookline(["usage", "session"]);
  expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  expect(out).toContain("red");
});

test("a long scan shows how far it is, on a terminal only, and takes the line away", async () => {
  const seen: string[] = [];
  const io = (err: boolean) =>
    ({ err: async (text: string) => void seen.push(text), terminal: { err } }) as unknown as Io;
  vi.useFakeTimers({ toFake: ["performance"] });
  const line = progressLine("reading transcripts", io(true));
  for (const [step, bytes] of [
    [399, 4e8],
    [1, 5e8],
    [99, 6e8],
    [1, 7e8],
  ] as const) {
    vi.advanceTimersByTime(step);
    line.show({ bytes, of: 1e9 });
  }
  await line.end();
  const text = (share: number) => `\r\u001b[Kreading transcripts ${share} % of 1.0 GB`;
  expect(seen).toEqual([text(50), text(70), "\r\u001b[K"]);
  seen.length = 0;
  const quiet = progressLine("reading transcripts", io(false));
  quiet.show({ bytes: 5e8, of: 1e9 });
  await quiet.end();
  expect(seen).toEqual([]);
});

const status = (more: object) => JSON.stringify({ session_id: id, model: { display_name: "Opus" }, ...more });

test("a status line shows model, session, today, block, context and limits", async () => {
  const at = new Date().toISOString();
  const transcript_path = session(call("m1", "2026-10-04T10:00:00.000Z") + call("m2", at));
  const input = status({
    transcript_path,
    cost: { total_cost_usd: 0.5 },
    context_window: { context_window_size: 200_000, total_input_tokens: 50_000 },
    rate_limits: { five_hour: { used_percentage: 12 }, seven_day: { used_percentage: 34.4 } },
  });
  const line = async (...args: string[]) =>
    (await hookline(["statusline", "--timezone", "UTC", ...args], {}, input)).out;
  expect(await line()).toMatch(
    /^Opus \| \$0\.0051 session \| \$0\.0026 today \| \$0\.0026 block \([45]h(?: \d+m)? left\) \| 25% context \| 5h 12% 7d 34%\n$/,
  );
  expect(await line("--cost-source", "host", "--template", "{session}")).toBe("$0.50\n");
  expect(await line("--cost-source", "hookline", "--template", "{session}")).toBe("$0.0051\n");
  expect(await line("--cost-source", "both", "--template", "{session}")).toBe("$0.0051 (Claude Code $0.50)\n");
  expect(await line("--template", "{model} | {nothing} | {context} used")).toBe("Opus | 25% used\n");
});

test("a status line reports an unknown name of a template on stderr and names the nearest", async () => {
  const result = await hookline(["statusline", "--template", "{modle} | {model}"], {}, '{"model":"Opus"}');
  expect(result).toEqual({
    status: 0,
    out: "Opus\n",
    err: "hookline: Unknown name {modle} in --template. Did you mean {model}?\n",
  });
});

test("a status line reads what is new in a growing session and adds it to the last report", async () => {
  const at = new Date().toISOString();
  const transcript_path = session(call("m1", at));
  await hookline(["usage"]);
  const cost = async () =>
    (await hookline(["statusline", "--template", "{session}"], {}, status({ transcript_path }))).out;
  expect(await cost()).toBe("$0.0026\n");
  appendFileSync(transcript_path, call("m2", at));
  expect(await cost()).toBe("$0.0051\n");
  appendFileSync(transcript_path, call("m2", at).slice(0, 100));
  expect(await cost()).toBe("$0.0051\n");
  // Large enough to be kept: then only what is new is read.
  for (let index = 0; index < 300; index++)
    appendFileSync(transcript_path, `\n${call(`n${index}`, at, { pad: "x".repeat(2000) })}`);
  expect(await cost()).toBe("$0.77\n");
  appendFileSync(transcript_path, call("m3", at));
  expect(await cost()).toBe("$0.77\n");
  expect(readdirSync(join(home, "state", "usage", "live"))).toHaveLength(1);
  const { rows } = JSON.parse((await hookline(["usage", "session", "--json"])).out);
  expect(rows[0].costMicroUsd).toBe(303 * 2_550);
});

test.each([
  "",
  "{",
  "null",
  "[]",
  '"x"',
  '{"model":7,"cost":"x","context_window":[],"rate_limits":{"a":null}}',
  '{"transcript_path":"/nowhere/x.jsonl"}',
])("a status line never prints an error and always exits with 0: %s", async (input) => {
  const { status, err, out } = await hookline(["statusline"], {}, input);
  expect([status, err]).toEqual([0, ""]);
  expect(out).toMatch(/^[^\n]*\n$/);
});

test("a status line exits with 0 for a broken settings file, and prints no control character of a hostile model name", async () => {
  mkdirSync(join(home, "state"), { recursive: true, mode: 0o700 });
  writeFileSync(join(home, "state", "usage.json"), "{");
  expect(await hookline(["statusline"], {}, status({}))).toEqual({ status: 0, out: "\n", err: "" });
  rmSync(join(home, "state", "usage.json"));
  const hostile = JSON.stringify({ model: "\u001b]0;x\u0007A\nB" });
  const { out } = await hookline(["statusline", "--timezone", "UTC"], {}, hostile);
  expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f]|\n./);
});

test.each([
  ["--bogus", "has no option --bogus"],
  ["--cost-source=moon", "moon"],
  ["--timezone=Moon/Crater", '"Moon/Crater" is not a time zone'],
  ["word", "statusline takes no arguments"],
])("a status line called with %s ends with status 1 and says why, as every command", async (option, why) => {
  const { status: code, out, err } = await hookline(["statusline", option], {}, status({}));
  expect([code, out, err]).toEqual([1, "", expect.stringContaining(why)]);
});

test("--reconcile prints the figure of Claude Code next to ours", async () => {
  const transcript_path = session(call("m1", "2026-10-04T10:00:00.000Z"));
  await hookline(["statusline"], {}, status({ transcript_path, cost: { total_cost_usd: 0.003 } }));
  const { rows } = JSON.parse((await hookline(["usage", "session", "--reconcile", "--json"])).out);
  expect(rows[0].reconcile).toEqual({ clientMicroUsd: null, statuslineMicroUsd: 3_000, differenceMicroUsd: -450 });
  const { out } = await hookline(["usage", "session", "--reconcile"]);
  expect(out).toMatch(/Claude Code +difference/);
  expect(out).toContain("-$0.0005");
});

test.each([
  [["daily", "--reconcile"], "--reconcile works only with the report session"],
  [["--token-limit", "5"], "--token-limit works only with the report blocks"],
  [["monthly", "--week-start", "sunday"], "--week-start works only with the report weekly"],
  [["--since", "2026-10-25", "--until", "2026-03-29"], "--since 2026-10-25 comes after --until 2026-03-29"],
  [["--json", "--csv"], "--json and --csv cannot be used together"],
  [["models", "--csv", "--show-prices"], "--csv and --show-prices cannot be used together"],
  [["--no-index", "--rescan"], "--no-index and --rescan cannot be used together"],
])("an option that would change nothing is refused: %j", async (args, why) => {
  const { status, err } = await hookline(["usage", ...args]);
  expect(status).toBe(1);
  expect(err).toContain(why);
});

test("a byte order mark before the JSON of Claude Code does not change the status line", async () => {
  const text = JSON.stringify({ model: { display_name: "Opus" }, context_window: { used_percentage: 10 } });
  const { out } = await hookline(["statusline"], {}, `\uFEFF${text}`);
  expect(out).toContain("Opus");
  expect(out).toBe((await hookline(["statusline"], {}, text)).out);
});

test("names of inherited properties are not figures of a status line", async () => {
  const stdin = '{"model":"Opus","rate_limits":{"constructor":{"used_percentage":5}}}';
  const { out } = await hookline(["statusline"], {}, stdin);
  expect(out).toContain("constructor 5%");
  const asked = await hookline(["statusline", "--template", "{model} | {constructor} | {__proto__}"], {}, stdin);
  expect(asked.out).toBe("Opus\n");
});

test.skipIf(process.platform === "win32")("a status line does not wait for a transcript that is a pipe", async () => {
  const pipe = join(home, `${id}.jsonl`);
  execFileSync("mkfifo", [pipe]);
  const { status, out } = await hookline(["statusline"], {}, JSON.stringify({ model: "Opus", transcript_path: pipe }));
  expect([status, out]).toEqual([0, "Opus | $0.00 today\n"]);
});

test("times of sessions and blocks are those of --timezone, and a block that ends on another day has that date", async () => {
  session(call("m1", "2026-10-04T10:00:00.000Z") + call("m2", "2026-10-07T22:30:00.000Z"));
  const inTokyo = async (report: string) =>
    (await hookline(["usage", report, "--timezone", "Asia/Tokyo", "--no-index"], { out: true, columns: 200 })).out;
  expect(await inTokyo("session")).toContain("2026-10-08 07:30");
  const blocks = await inTokyo("blocks");
  expect(blocks).toContain("2026-10-04 19:00 – 2026-10-05 00:00");
  expect(blocks).toMatch(/2026-10-0\d \d\d:\d\d – 2026-10-0\d \d\d:\d\d .*no calls/);
});

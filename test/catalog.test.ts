import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findingCodes } from "../src/engine/doctor/finding.ts";
import { installFindingCodes } from "../src/install/drift/finding-codes.ts";
import { problemCodes, warningCodes } from "../src/protocol/index.ts";
import {
  catalog,
  commonFields,
  type EventRow,
  eventNames,
  eventOutputFields,
  ruleWarningCodes,
} from "../src/protocol/internal.ts";
import { recordedPayloads } from "./fixtures/payloads/read.ts";

const rows: readonly EventRow[] = eventNames.map((name) => catalog[name]);

test("every event but the declared ones has recorded payloads, and no file is left over", () => {
  const recorded = readdirSync(join(import.meta.dirname, "fixtures/payloads")).filter((name) =>
    /^[A-Z].*\.jsonl$/.test(name),
  );
  const measured = rows.filter(({ since }) => since !== "declared").map(({ name }) => `${name}.jsonl`);
  expect(recorded.sort()).toEqual(measured.sort());
  expect(rows.filter(({ since }) => since === "declared").map(({ name }) => name)).toEqual([
    "PreModelSwitch",
    "PostModelSwitch",
    "DirectoryAdded",
  ]);
  for (const name of measured) expect(recordedPayloads(name.replace(".jsonl", "")).length).toBeGreaterThan(0);
});

test.each(eventNames)("the row of %s knows every field of its recorded payloads, in their order", (name) => {
  const known = Object.keys({ ...commonFields, ...catalog[name].fields });
  for (const { payload } of recordedPayloads(name)) {
    expect(Object.keys(payload).filter((key) => !known.includes(key))).toEqual([]);
    const common = Object.keys(payload).filter((key) => key in commonFields);
    expect(common).toEqual(Object.keys(commonFields).filter((key) => key in payload));
  }
});

test.each(rows)("the row of $name is consistent with itself", (row) => {
  expect(row.name in catalog).toBe(true);
  if (row.matchesOn) expect(Object.keys({ ...commonFields, ...row.fields })).toContain(row.matchesOn.field);
  expect(row.answers.filter((answer) => !(answer in eventOutputFields))).toEqual([]);
  expect(row.types.includes("callback")).toBe(true);
  // An event that can block must have a denial, and a way to express it.
  if (row.blocks !== null) expect(row.decisions).toContain("deny");
  if (row.onBlock !== null) expect(row.decisions).toContain("deny");
  // A failure that denies needs a denial that does something: it blocks, or it is feedback.
  if (row.onFailure !== "open") expect(row.blocks !== null || row.onBlock === "feedback").toBe(true);
});

test("no module asks for an event by its name", () => {
  const modules = ["engine", "permissions", "exec", "files", "sdk", "daemon", "install"];
  const branches = sources
    .filter(({ name }) => modules.some((module) => name.startsWith(`${module}/`)))
    .flatMap(({ name, code }) =>
      eventNames
        .filter((event) => new RegExp(`(?:===|!==|case)\\s*"${event}"`).test(code))
        .map((event) => `${name}: ${event}`),
    );
  expect(branches).toEqual([]);
});

test("each event is in one table of the catalog", () => {
  const names = sources
    .filter(({ name }) => isEventTable(name))
    .flatMap(({ code }) => [...code.matchAll(/^ {2}([A-Z]\w+): \{$/gm)].map(([, name]) => name));
  expect(names.sort()).toEqual([...eventNames].sort());
});

test("the catalog is the only list of events; the recorded payloads for tests are data, one for each", () => {
  const lists = sources.filter(
    ({ name, code }) =>
      !isEventTable(name) && eventNames.filter((event) => new RegExp(`"${event}"|\\b${event}:`).test(code)).length > 8,
  );
  expect(lists.map(({ name }) => name)).toEqual(["sdk/testing/fixtures.ts"]);
});

test("every code of a warning, a problem and a finding is used in src and appears in a test", () => {
  const root = join(import.meta.dirname, "..");
  const tests = ["src", "test", "conformance"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.test\.ts$/.test(name) || (folder !== "src" && /\.(?:ts|json)$/.test(name)))
      .filter((name) => name !== "catalog.test.ts")
      .map((name) => readFileSync(join(root, folder, name), "utf8")),
  );
  const isTable = (name: string) => /(?:-codes|doctor\/finding)\.ts$/.test(name);
  const used = sources.filter(({ name }) => !isTable(name)).map(({ code }) => code);
  const tables = { ...warningCodes, ...ruleWarningCodes, ...problemCodes, ...findingCodes, ...installFindingCodes };
  const isIn = (texts: readonly string[], code: string) =>
    texts.some((text) => new RegExp(`(?<![\\w/-])${code}(?![\\w-])`).test(text));
  // `sdkProblem` adds the area.
  const isUsed = (code: string) => isIn(used, code) || (code.startsWith("sdk/") && isIn(used, code.slice(4)));
  const codes = Object.keys(tables);
  expect({
    unused: codes.filter((code) => !isUsed(code)),
    untested: codes.filter((code) => !isIn(tests, code)),
  }).toEqual({ unused: ["sessions/unsupported"], untested: unnamed });
});

/** Codes that no test names. This list only gets shorter. */
const unnamed: readonly string[] = [
  "rule-elsewhere",
  "rule-too-wide",
  "hook/unknown",
  "trust/unknown-hook",
  "trust/digest-mismatch",
  "trust/not-approvable",
  "trust/needs-terminal",
  "sessions/archived",
  "sessions/unsupported",
  "sdk/next-twice",
  "sdk/undeclared-event",
  "sdk/strategy-conflict",
  "sdk/no-observer",
  "sdk/provider-cycle",
  "sdk/no-env-file",
  "sdk/bad-variable",
  "sdk/git-failed",
  "sdk/unknown-task",
  "sdk/task-not-json",
  "sdk/task-too-large",
  "replay/event",
  "replay/no-app",
  "replay/ended",
  "replay/against",
  "host/bad-agent",
  "host/bad-effort",
  "file/relative-home",
  "daemon/no-start",
  "demo/off-script",
  "cli/usage",
  "cli/bad-input",
  "cli/unknown-command",
];

const src = join(import.meta.dirname, "../src");

/** The code of every module, without comments and tests. */
const sources = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((name) => /(?<!\.test)\.ts$/.test(name) && !name.includes("fixtures/"))
  .map((name) => ({
    name,
    code: readFileSync(join(src, name), "utf8").replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, ""),
  }));

function isEventTable(name: string): boolean {
  return /^protocol\/events\/\w+-events\.ts$/.test(name);
}

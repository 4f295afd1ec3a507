import { expect, test } from "vitest";
import { approveGrants, reviewTrust } from "../src/engine/index.ts";
import { runSession } from "../src/runner/index.ts";
import {
  archiveSession,
  exportSession,
  finalTextAtStop,
  followSession,
  forkSession,
  listSessions,
  openSession,
  openStore,
  readHistory,
  repairSession,
  saveTask,
  validateSession,
} from "../src/sessions/index.ts";
import { spent, statusline, usageReport } from "../src/usage/index.ts";

const place = { id: "a", folder: "/none", file: "/none/a.jsonl", root: { path: "/none" } } as never;

test.each<[string, (options: never) => unknown, string, string, object]>([
  ["reviewTrust", reviewTrust, "hom", "home", { home: 5 }],
  ["the ports of reviewTrust", (ports) => reviewTrust({}, ports), "inputOf", "inputsOf", { inputsOf: 5 }],
  ["approveGrants", (options) => approveGrants(options, []), "hom", "home", { home: 5 }],
  ["the ports of runSession", (ports) => runSession({ prompt: "x" }, ports), "progam", "program", { program: 5 }],
  ["usageReport", usageReport, "brekdown", "breakdown", { breakdown: "yes" }],
  ["spent", (options) => spent({ day: "today" }, options), "timezon", "timezone", { timezone: 5 }],
  ["statusline", (options) => statusline("{}", options), "timezon", "timezone", { timezone: 5 }],
  ["archiveSession", (options) => archiveSession(place, options), "rot", "root", { root: 5 }],
  [
    "exportSession",
    (options) => exportSession({ load: () => undefined } as never, "json", options),
    "redct",
    "redact",
    { redact: 5 },
  ],
  ["finalTextAtStop", (options) => finalTextAtStop({}, options), "pausMs", "pauseMs", { pauseMs: "1" }],
  ["followSession", (options) => followSession(place, options), "signl", "signal", { signal: 5 }],
  ["forkSession", (options) => forkSession(place, options), "itno", "into", { into: 5 }],
  ["listSessions", (options) => listSessions(options).next(), "sinceMS", "sinceMs", { signal: 5 }],
  ["openStore", (options) => openStore({ version: "1", ...(options as object) }), "rooot", "root", { fs: 5 }],
  ["openSession", (options) => openSession("last", options), "rots", "roots", { cwd: 5 }],
  ["readHistory", (options) => readHistory(options).next(), "projct", "project", { project: 5 }],
  ["repairSession", (options) => repairSession(place, options), "dryrun", "dryRun", { dryRun: "no" }],
  ["saveTask", (options) => saveTask({} as never, {}, options), "forse", "force", { force: "no" }],
  ["validateSession", (options) => validateSession(place, options), "chekcs", "checks", { checks: 5 }],
])("%s refuses a misspelled option and a wrong value, and names them", async (name, call, misspelled, meant, wrong) => {
  const refusal = async (options: object) => {
    try {
      await call(options as never);
    } catch (error) {
      const { name, code, message } = error as Error & { code: string };
      return `${name} ${code}: ${message}`;
    }
    return "accepted";
  };
  const code = /^Problem (?:engine|host)\/bad-option: |^Problem (?:usage|sessions)\/option: /;
  expect(await refusal({ [misspelled]: 1 })).toMatch(code);
  expect(await refusal({ [misspelled]: 1 })).toContain(`${name} has no option "${misspelled}". Did you mean ${meant}?`);
  expect(await refusal(wrong)).toMatch(code);
  expect(await refusal(wrong)).toContain(`The option ${Object.keys(wrong)[0]} of ${name} must be `);
});

import { expect, test } from "vitest";
import { type Case, type Interop, loadCases } from "./case.ts";
import { compare, notRun } from "./compare.ts";
import { departures } from "./departures.ts";
import type { Facts } from "./facts.ts";

const ran: Facts = { went: true, ran: ["a"] };
const refused: Facts = { went: false, reason: "no network", ran: ["a"] };
const newest = "2.1.325";

test("equal facts that were recorded are an agreement", () => {
  expect(compare(caseOf({ client: ran }), ran, ran, newest)).toEqual({ kind: "agreement" });
});

test("a release of Claude Code that changed is a difference, even if both sides changed alike", () => {
  expect(compare(caseOf({ client: ran }), refused, refused, newest)).toMatchObject({ kind: "difference" });
});

test("two sides that differ without a declared departure are a difference", () => {
  expect(compare(caseOf({ client: ran }), ran, refused, newest)).toMatchObject({ kind: "difference" });
  expect(compare(caseOf({ client: ran }), ran, { ...ran, told: ["word"] }, newest)).toMatchObject({
    kind: "difference",
  });
});

test("a departure must show, and show as declared", () => {
  const departing = caseOf({ client: ran, departure: { name: "glob-matcher", hookline: refused } });
  expect(compare(departing, ran, refused, newest)).toEqual({ kind: "departure", name: "glob-matcher" });
  expect(compare(departing, ran, ran, newest)).toMatchObject({ kind: "difference" });
  expect(compare(departing, ran, { went: false }, newest)).toMatchObject({ kind: "difference" });
  const idle = caseOf({ client: ran, departure: { name: "glob-matcher", hookline: ran } });
  expect(compare(idle, ran, ran, newest)).toMatchObject({ kind: "difference" });
});

test("an older release is compared with what was recorded of it, and Hookline with the newest one", () => {
  const moved = caseOf({ client: refused, older: { before: newest, client: ran } });
  expect(compare(moved, refused, refused, newest)).toEqual({ kind: "agreement" });
  expect(compare(moved, ran, refused, "2.1.197")).toEqual({ kind: "older-client" });
  expect(compare(moved, refused, refused, "2.1.197")).toMatchObject({ kind: "difference" });
  expect(compare(moved, ran, ran, "2.1.197")).toMatchObject({ kind: "difference" });
});

test("an older release may do what Hookline departs to", () => {
  const moved = caseOf({
    client: ran,
    older: { before: newest, client: refused },
    departure: { name: "glob-matcher", hookline: refused },
  });
  expect(compare(moved, refused, refused, "2.1.197")).toEqual({ kind: "agreement" });
  expect(compare(moved, ran, refused, newest)).toEqual({ kind: "departure", name: "glob-matcher" });
});

test("a case names the versions that cannot be brought into it", () => {
  const gone = caseOf({ client: ran, notRun: { from: newest, why: "the tool is disabled" } });
  expect([notRun(gone, "2.1.330"), notRun(gone, newest), notRun(gone, "2.1.197")]).toEqual([
    "the tool is disabled",
    "the tool is disabled",
    undefined,
  ]);
});

test("every departure shows in at least one case", () => {
  const shown = new Set<string>(loadCases().flatMap(({ interop }) => interop.departure?.name ?? []));
  expect(Object.keys(departures).filter((name) => !shown.has(name))).toEqual([]);
});

function caseOf(interop: Interop): Case {
  return { name: "a claim", given: {}, when: { event: "PreToolUse", payload: {} }, interop };
}

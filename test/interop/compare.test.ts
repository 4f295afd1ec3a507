import { expect, test } from "vitest";
import type { Case, Interop } from "./case.ts";
import { compare } from "./compare.ts";
import type { Facts } from "./facts.ts";

const ran: Facts = { went: true, ran: ["a"] };
const refused: Facts = { went: false, reason: "no network", ran: ["a"] };

test("equal facts that were recorded are an agreement", () => {
  expect(compare(caseOf({ client: ran }), ran, ran)).toEqual({ kind: "agreement" });
});

test("a client that changed is a difference, even if both sides changed alike", () => {
  expect(compare(caseOf({ client: ran }), refused, refused)).toMatchObject({ kind: "difference" });
});

test("two sides that part without a declared departure are a difference", () => {
  expect(compare(caseOf({ client: ran }), ran, refused)).toMatchObject({ kind: "difference" });
  expect(compare(caseOf({ client: ran }), ran, { ...ran, told: ["word"] })).toMatchObject({ kind: "difference" });
});

test("a departure must show, and show as declared", () => {
  const departing = caseOf({ client: ran, departure: { name: "glob-matcher", hookline: refused } });
  expect(compare(departing, ran, refused)).toEqual({ kind: "departure", name: "glob-matcher" });
  expect(compare(departing, ran, ran)).toMatchObject({ kind: "difference" });
  expect(compare(departing, ran, { went: false })).toMatchObject({ kind: "difference" });
});

test("what waits for a requirement fails once it is met", () => {
  const waiting = caseOf({ client: refused, awaits: "EN-92" });
  expect(compare(waiting, refused, ran)).toEqual({ kind: "waiting", for: "EN-92" });
  expect(compare(waiting, refused, refused)).toMatchObject({ kind: "difference" });
});

function caseOf(interop: Interop): Case {
  return { name: "a claim", given: {}, when: { event: "PreToolUse", payload: {} }, interop };
}

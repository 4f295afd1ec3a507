import { expect, test } from "vitest";
import type { HookRef, RunRecord } from "../../protocol/internal.ts";
import { redactNotice } from "./redact-notices.ts";

const hook: HookRef = {
  id: "user:PreToolUse:0:0:abc",
  event: "PreToolUse",
  type: "http",
  source: "user",
  name: "https://joe:hunter2@a.example/x?k=s3cr3t-key",
};
const record: RunRecord = {
  hook,
  ended: { by: "http", status: 500 },
  verdict: { kind: "deny", reason: "no s3cr3t-key here" },
  startedAt: 1,
  durationMs: 2,
  stdout: "echo s3cr3t-key",
  stderr: "ftp://a:b@c",
  background: false,
  round: 1,
  answer: {
    failure: "HTTP 500 (s3cr3t-key)",
    input: { command: "curl -H s3cr3t-key" },
    context: ["s3cr3t-key"],
    output: { content: { "s3cr3t-key": ["s3cr3t-key", 1, null] } },
  },
};
const secrets = ["s3cr3t-key"];
const seenHook = { ...hook, name: "https://[redacted]@a.example/x?k=[redacted]" };

function redact(record: RunRecord, secrets: readonly string[], options: { content: boolean }): RunRecord {
  const notice = redactNotice({ kind: "run", record, event: "PreToolUse", sessionId: "s" }, secrets, options);
  if (notice.kind !== "run") throw new Error("a redacted notice is of the same kind");
  return notice.record;
}

test("without content nothing of the hook's answer is left", () => {
  expect(redact(record, secrets, { content: false })).toEqual({
    hook: seenHook,
    ended: { by: "http", status: 500 },
    verdict: { kind: "deny", reason: "[content left out]" },
    startedAt: 1,
    durationMs: 2,
    stdout: "",
    stderr: "",
    background: false,
    round: 1,
    answer: { failure: "HTTP 500 ([redacted])" },
  });
});

test("with content secrets and credentials are still blacked out, wherever they are", () => {
  expect(redact(record, secrets, { content: true })).toEqual({
    ...record,
    hook: seenHook,
    verdict: { kind: "deny", reason: "no [redacted] here" },
    stdout: "echo [redacted]",
    stderr: "ftp://[redacted]@c",
    answer: {
      failure: "HTTP 500 ([redacted])",
      input: { command: "curl -H [redacted]" },
      context: ["[redacted]"],
      output: { content: { "[redacted]": ["[redacted]", 1, null] } },
    },
  });
});

test("texts of a hook count as content", () => {
  const threw: RunRecord = {
    ...record,
    ended: { by: "threw", message: "cannot read the user's text" },
    verdict: { kind: "allow", reason: "because", input: { a: 1 } },
    answer: { failure: "cannot read the user's text" },
  };
  const seen = redact(threw, [], { content: false });
  expect([seen.ended, seen.verdict, seen.answer]).toEqual([
    { by: "threw", message: "[content left out]" },
    { kind: "allow" },
    { failure: "[content left out]" },
  ]);
});

test("every notice is redacted", () => {
  const options = { content: false };
  expect(redactNotice({ kind: "run", record, event: "PreToolUse", sessionId: "s" }, secrets, options)).toEqual({
    kind: "run",
    record: redact(record, secrets, options),
    event: "PreToolUse",
    sessionId: "s",
  });
  expect(redactNotice({ kind: "stop-hook-ran", hook, record }, secrets, options)).toEqual({
    kind: "stop-hook-ran",
    hook: seenHook,
    record: redact(record, secrets, options),
  });
  expect(redactNotice({ kind: "stop-hook-added", hook }, secrets, options)).toEqual({
    kind: "stop-hook-added",
    hook: seenHook,
  });
  const cap = { kind: "stop-cap", sessionId: "s", reason: "tests fail: s3cr3t-key" } as const;
  expect(redactNotice(cap, secrets, options)).toEqual({ ...cap, reason: "[content left out]" });
  expect(redactNotice(cap, secrets, { content: true })).toEqual({ ...cap, reason: "tests fail: [redacted]" });
});

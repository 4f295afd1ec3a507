import { expect, test } from "vitest";
import { fitted } from "./client-call.ts";

const text = '{"hook_event_name":"PreToolUse"}';
const asked = { text, transport: "client", onFailure: "block", env: undefined, envOf: 0, cwd: undefined } as const;
const answer = (stdout: string, stderr: string) => ({ exitCode: 0, stdout, stderr, json: true });

test("an answer of more bytes than its length field can say is a failure with its reason, and output is cut with a note", () => {
  const most = 99_999_999;
  expect(fitted(answer("{}", "x"), asked)).toEqual(answer("{}", "x"));
  expect(fitted(answer("é".repeat(Math.ceil(most / 2)), ""), asked)).toMatchObject({
    exitCode: 2,
    stdout: "",
    stderr: `hookline: The answer is larger than ${most} bytes.\n`,
  });
  const { stdout, stderr, exitCode } = fitted({ ...answer("{}", "é".repeat(most)), exitCode: 2 }, asked);
  expect([stdout, exitCode, Buffer.byteLength(stderr) <= most]).toEqual(["{}", 2, true]);
  expect(stderr.slice(-45)).toBe("éé\nhookline: The rest of the output was cut.\n");
});

import { expect, test } from "vitest";
import { redirectToStderr } from "./stdout.ts";

const streams = (fd: number) => [{ type: "fd", fd: 0 }, { type: "fd", fd }, { type: "pipe" }, undefined];

test("child stdout is redirected to stderr with the spawn signatures of Node 20 and Node 24", () => {
  const started: unknown[][] = [];
  const spawn = redirectToStderr((...given) => started.push(given));
  spawn("/bin/echo", ["echo"], undefined, [], streams(1), 1, undefined, null);
  spawn({ file: "/bin/echo", stdio: streams(1) });
  expect(started).toEqual([
    ["/bin/echo", ["echo"], undefined, [], streams(2), 1, undefined, null],
    [{ file: "/bin/echo", stdio: streams(2) }],
  ]);
});

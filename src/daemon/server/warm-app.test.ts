import { expect, test } from "vitest";
import { withNotice } from "./warm-app.ts";

const answer = { exitCode: 0, stdout: "", stderr: "", json: false };

test("a notice is added to a JSON answer; for plain text and refusals by exit status it goes to stderr", () => {
  const add = (given: Partial<typeof answer>) => withNotice({ ...answer, ...given }, "n");
  const wire = { systemMessage: "aside", decision: "block" };
  expect(JSON.parse(add({ stdout: JSON.stringify(wire), json: true }).stdout)).toEqual({
    ...wire,
    systemMessage: "aside\nn",
  });
  expect(add({})).toEqual({ ...answer, json: true, stdout: '{"systemMessage":"n"}\n' });
  expect(add({ stdout: "plain" })).toEqual({ ...answer, stdout: "plain", stderr: "hookline: n\n" });
  expect(add({ exitCode: 2, stderr: "no\n" })).toEqual({ ...answer, exitCode: 2, stderr: "hookline: n\nno\n" });
});

import { expect, test } from "vitest";
import { openSessionNotices } from "./warm-app.ts";

const answer = { exitCode: 0, stdout: "", stderr: "", json: false };
const from = (session_id: string) => JSON.stringify({ hook_event_name: "Stop", session_id });
const told = (notice: string) => ({ ...answer, stdout: `${JSON.stringify({ systemMessage: notice })}\n`, json: true });

test("each session gets a notice once; another notice, or the same after a reset, is delivered again", () => {
  const notices = openSessionNotices();
  const say = (session: string, notice = "n") => notices.add(answer, from(session), notice);
  expect([say("a"), say("a"), say("b")]).toEqual([told("n"), answer, told("n")]);
  expect([say("a", "m"), say("a", "m")]).toEqual([told("m"), answer]);
  notices.forget();
  expect(say("a", "m")).toEqual(told("m"));
});

test("a notice is added to a JSON answer; for plain text and refusals by exit status it goes to stderr", () => {
  const add = (given: Partial<typeof answer>) => openSessionNotices().add({ ...answer, ...given }, from("a"), "n");
  const wire = { systemMessage: "aside", decision: "block" };
  expect(JSON.parse(add({ stdout: JSON.stringify(wire), json: true }).stdout)).toEqual({
    ...wire,
    systemMessage: "aside\nn",
  });
  expect(add({ stdout: "plain" })).toEqual({ ...answer, stdout: "plain", stderr: "hookline: n\n" });
  expect(add({ exitCode: 2, stderr: "no\n" })).toEqual({ ...answer, exitCode: 2, stderr: "hookline: n\nno\n" });
});

test("of many thousands of sessions only the latest are remembered", () => {
  const notices = openSessionNotices();
  for (let session = 0; session <= 10_000; session++) notices.add(answer, from(String(session)), "n");
  expect(notices.add(answer, from("10000"), "n")).toEqual(answer);
  expect(notices.add(answer, from("0"), "n")).toEqual(told("n"));
});

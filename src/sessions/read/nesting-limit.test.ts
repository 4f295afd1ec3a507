import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../files/fixtures/temp-folder.ts";
import { validateSession } from "../check/validate-session.ts";
import { exportSession } from "../export/export-session.ts";
import type { SessionPlace } from "../find/session-files.ts";
import { answer, prompt, result, toolUse, write } from "../fixtures/transcript.ts";
import { searchSessions } from "../query/search-sessions.ts";
import { sessionAt } from "../session.ts";

/** A session whose tool call has an input, or a result, that is nested `levels` deep. */
async function nested(where: "input" | "result", levels: number): Promise<SessionPlace> {
  const root = await tempFolder();
  const folder = join(root, "projects", "-p");
  const asked = prompt(null, "go");
  const called = answer(asked, [toolUse("t1", "Bash", where === "input" ? "DEEP" : {})], { stop: "tool_use" });
  const resulted = result(called, "t1", where === "result" ? "DEEP" : "ok");
  const deep =
    where === "input"
      ? `${"[".repeat(levels)}${"]".repeat(levels)}`
      : `${'[{"type":"tool_result","tool_use_id":"t1","content":'.repeat(levels)}"x"${"}]".repeat(levels)}`;
  const lines = [asked, called, resulted, answer(resulted, "done")].map((line) =>
    JSON.stringify(line).replace('"DEEP"', deep),
  );
  const file = write(join(folder, "s1.jsonl"), lines);
  return { id: "s1", root: { path: root, origin: "client" }, project: "-p", folder, file };
}

test.each(["input", "result"] as const)(
  "a tool's %s of any depth is read, searched, checked and exported",
  async (where) => {
    const place = await nested(where, 20_000);
    const session = sessionAt(place);
    const { main } = await session.load();
    expect(main.history()).toHaveLength(4);
    expect(main.toolCalls).toMatchObject([{ name: "Bash", status: "ok" }]);
    expect(await session.query().matching("levels]").count()).toBe(1);
    for (const format of ["markdown", "html", "json"] as const) {
      expect(await exportSession(session, format, { results: true, agents: true, thinking: true })).toContain("done");
    }
    expect(await searchSessions("done", { roots: [place.root], results: true })).toMatchObject({ total: 1 });
    const { findings } = await validateSession(place);
    expect(findings.map(({ code, line }) => [code, line])).toEqual([["lossy-text", where === "input" ? 2 : 3]]);
  },
);

test("what is nested a few hundred levels deep stays as it is", async () => {
  const { main } = await sessionAt(await nested("input", 900)).load();
  expect(JSON.stringify(main.toolCalls[0]?.input)).toHaveLength(1800);
  expect(main.entries.some(({ lossy }) => lossy)).toBe(false);
});

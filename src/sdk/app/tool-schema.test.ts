import { expect, test } from "vitest";
import { createApp, deny } from "../index.ts";
import { testClient } from "../testing/index.ts";

const standard = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: async (input: unknown) =>
      typeof (input as { command?: unknown }).command === "string"
        ? { value: { command: "parsed" } }
        : { issues: [{ message: "command: no text" }, { message: "and more" }] },
  },
};

test("any Standard Schema checks all events of its tool, in its app, for the handlers named for the tool", async () => {
  const seen: unknown[] = [];
  const note = ({ input }: { input: unknown }) => void seen.push(input);
  const app = createApp()
    .registerToolEvent("Bash", standard)
    .preTool(["Bash", "Read"], { name: "named", onFailure: "block" }, note)
    .postTool("Bash", { name: "after" }, note)
    .preTool(note);
  const client = testClient(app);
  await client.preTool("Bash", { command: "ls" });
  await client.postTool("Bash", { command: "ls" }, {});
  expect(seen).toEqual([{ command: "parsed" }, { command: "ls" }, { command: "parsed" }]);
  const why = "the tool's input does not fit its schema: command: no text; and more";
  (await client.preTool("Bash", {} as never)).expectDenied(`named failed: ${why}`);
  const after = await client.postTool("Bash", {} as never, {});
  expect(after.trace).toMatchObject([{ name: "after", outcome: "failed", error: why }]);
  (await client.preTool("Read", {} as never)).expectNoOpinion();
  const other = createApp().preTool("Bash", () => deny("no schema here"));
  (await testClient(other).preTool("Bash", {} as never)).expectDenied("no schema here");
});

test("a schema registered for Task also checks Agent", async () => {
  const app = createApp({ onFailure: "block" })
    .registerToolEvent("Task", () => {
      throw new Error("no such agent");
    })
    .preTool("Agent", () => undefined);
  (await testClient(app).preTool("Agent", { description: "d", prompt: "p" })).expectDenied("no such agent");
});

test("a function that only checks an input leaves it to the handlers, and one that returns no input is a failure", async () => {
  const guard = (check: (input: unknown) => unknown) =>
    testClient(
      createApp()
        .registerToolEvent("Bash", check)
        .preTool("Bash", { onFailure: "block" }, ({ input }) =>
          /\brm\b/.test(input.command) ? deny("no rm") : undefined,
        ),
    );
  (await guard(() => undefined).preTool("Bash", { command: "rm x" })).expectDenied("no rm");
  (await guard(() => true).preTool("Bash", { command: "rm x" })).expectDenied("returned no input");
});

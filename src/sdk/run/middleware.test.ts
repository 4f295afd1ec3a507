import { expect, test } from "vitest";
import { blueprint, context, createApp, deny, patchInput, systemMessage } from "../index.ts";
import { testClient } from "../testing/index.ts";

const bash = { command: "ls" };

test("a denial counts when a middleware does not await next", async () => {
  const later = async () => {
    await new Promise((done) => setImmediate(done));
    return deny("no");
  };
  const forgets = createApp()
    .use((_event, _ctx, next) => void next())
    .preTool(later);
  (await testClient(forgets).preTool("Bash", bash)).expectDenied("no");
  const part = blueprint()
    .use((_event, _ctx, next) => void next())
    .preTool(later);
  (await testClient(createApp().include(part)).preTool("Bash", bash)).expectDenied("no");
});

test("a middleware may answer in place of the handlers, and may show them another event", async () => {
  const seen: unknown[] = [];
  const app = createApp()
    .use((event, _ctx, next) => (event["toolName"] === "Read" ? deny("early") : next()))
    .use((event, _ctx, next) => next({ ...event, input: { command: "shown" } }))
    .preTool(({ input }) => void seen.push(input));
  const client = testClient(app);
  expect((await client.preTool("Read", { file_path: "a" })).expectDenied("early").trace).toEqual([]);
  (await client.preTool("Bash", bash)).expectNoOpinion();
  expect(seen).toEqual([{ command: "shown" }]);
});

test("a text that is too long is attributed once, to the handler or middleware that wrote it", async () => {
  const app = createApp()
    .use(async (_event, _ctx, next) => [...(await next()), systemMessage("y".repeat(10_001))])
    .onPrompt({ name: "talks" }, () => context("x".repeat(10_001)));
  const { warnings } = await testClient(app).prompt("hi");
  expect(warnings.map(({ code, handler }) => [code, handler])).toEqual([
    ["long-text", "talks"],
    ["long-text", "middleware"],
  ]);
});

test("a patch from a middleware is applied", async () => {
  const app = createApp()
    .use(async (_event, _ctx, next) => [...(await next()), patchInput({ timeout: 5 })])
    .preTool("Bash", () => patchInput({ command: "ls -l" }));
  (await testClient(app).preTool("Bash", bash)).expectInput({ command: "ls -l", timeout: 5 });
});

test("a guard judges what a middleware made of the input, and what is left when it takes a rewrite back", async () => {
  const guard = ({ input }: { input: { command: string } }) => (/\brm\b/.test(input.command) ? deny("rm") : undefined);
  const rewrites = createApp()
    .use(async (_event, _ctx, next) => [...(await next()), patchInput({ command: "rm x" })])
    .preTool("Bash", { recheck: true, name: "guard" }, guard);
  const result = (await testClient(rewrites).preTool("Bash", bash)).expectDenied("rm");
  expect(result.trace.map(({ name, again }) => [name, again])).toEqual([
    ["guard", undefined],
    ["guard", true],
  ]);
  const takesBack = createApp()
    .use(async (_event, _ctx, next) => (await next()).filter(({ kind }) => kind !== "updateInput"))
    .preTool("Bash", () => patchInput({ command: "ls" }))
    .preTool("Bash", { recheck: true }, guard);
  (await testClient(takesBack).preTool("Bash", { command: "rm x" })).expectDenied("rm");
});

test("a guard that must block and fails refuses, although a middleware of its blueprint caught the error", async () => {
  const caught: unknown[] = [];
  const part = blueprint()
    .use(async (_event, _ctx, next) => {
      try {
        return await next();
      } catch (error) {
        caught.push(error);
        return undefined;
      }
    })
    .preTool("Bash", { name: "guard", onFailure: "block" }, () => {
      throw new Error("broken");
    });
  (await testClient(createApp().include(part)).preTool("Bash", bash)).expectDenied("broken");
  expect(caught).toHaveLength(1);
});

test("a middleware that gives next a part of an event lays it over the event, and a refusal counts", async () => {
  const app = createApp()
    .use((_event, _ctx, next) => next({ input: { command: "shown" } } as never))
    .preTool("Bash", ({ input, toolName }) => deny(`${toolName} ${input.command}`));
  (await testClient(app).preTool("Bash", bash)).expectDenied("Bash shown");
});

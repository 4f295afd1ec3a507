import { expect, test } from "vitest";
import { type Engine, openEngine } from "../../src/engine/internal.ts";
import { catalog, type EventRow } from "../../src/protocol/internal.ts";
import { command, on, openIn } from "./world.ts";

const deploy: EventRow = {
  ...catalog.ConfigChange,
  name: "Deploy",
  fires: "before something is deployed",
  fields: { target: { is: "text" } },
  matchesOn: { field: "target" },
  onText: "context",
  answers: ["additionalContext"],
  blocks: "nothing is deployed",
  special: {},
};

test("a host's own event behaves by its row", async () => {
  const settings = {
    hooks: {
      Deploy: [{ matcher: "production", hooks: [command("echo not on Friday >&2; exit 2"), command("echo careful")] }],
    },
  };
  const engine = (await openIn(settings, { events: [deploy] })).engine as Engine<{ Deploy: { target: string } }>;
  expect(engine.warnings).toEqual([]);
  expect(await engine.fire("Deploy", { target: "production" })).toMatchObject({
    event: "Deploy",
    decision: "deny",
    blocked: true,
    reason: "not on Friday",
    additionalContext: ["careful"],
  });
  expect(await engine.fire("Deploy", { target: "staging" })).toMatchObject({
    decision: "none",
    runs: [],
    skipped: [{}, {}],
  });
  await expect(engine.fireUnknown("Deploy", { target: 3 })).rejects.toMatchObject({ code: "event/bad-payload" });
  expect(engine.hasHookFor("Deploy")).toBe(true);
});

test("a field that a host's own event requires is reported as missing, also under a name that Stop may leave out", async () => {
  const fields = { ...deploy.fields, background_tasks: { is: "list", of: { is: "text" } } } as const;
  const { engine } = await openIn({}, { events: [{ ...deploy, fields }] });
  const { warnings } = await engine.fireUnknown("Deploy", { target: "staging", transcript_path: "" });
  expect(warnings).toMatchObject([{ code: "payload-incomplete", place: "background_tasks" }]);
});

test("a name that the catalog has is refused", async () => {
  await expect(openEngine({ events: [{ ...deploy, name: "Stop" }] })).rejects.toMatchObject({ code: "event/taken" });
});

test("elsewhere the same name is unknown", async () => {
  const { engine } = await openIn(on("Deploy", "true"));
  expect(engine.warnings).toMatchObject([{ code: "unknown-event" }]);
  await expect(engine.fireUnknown("Deploy", {})).rejects.toMatchObject({ code: "event/unknown" });
});

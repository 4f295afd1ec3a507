import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  groupSchema,
  hookSchema,
  inputSchema,
  outputSchema,
  schemaFiles,
  settingsSchema,
} from "../scripts/schema/index.ts";
import { outputFault } from "../src/engine/fire/read/exact-shape.ts";
import { catalog, type EventRow, eventNames, type HookOutput, hookOutputFields } from "../src/protocol/internal.ts";
import { recordedPayloads } from "./fixtures/payloads/read.ts";

const folder = join(import.meta.dirname, "../schema");

test("schema/ matches the catalog; `npm run schema` writes it", () => {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".json"));
  const written = new Map(names.map((name) => [name.split(sep).join("/"), readFileSync(join(folder, name), "utf8")]));
  expect(new Map([...written].sort())).toEqual(new Map([...schemaFiles()].sort()));
});

test("every event has a schema pair that names itself", () => {
  for (const name of eventNames) {
    for (const direction of ["input", "output"]) {
      const file = `${name}.${direction}.json`;
      expect(JSON.parse(readFileSync(join(folder, file), "utf8"))).toMatchObject({
        $schema: "https://json-schema.org/draft/2020-12/schema",
        $id: `https://unpkg.com/hookline/schema/${file}`,
        title: `${name} ${direction}`,
        type: "object",
      });
    }
  }
});

test.each(eventNames)("every recorded payload of %s is valid input", (name) => {
  for (const { payload, line } of recordedPayloads(name)) {
    const issues = inputSchema(name).safeParse(payload).error?.issues ?? [];
    const faults = issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
    expect(faults, `${line}\nFor a new field, record a payload, or mark it \`optional\` or \`newer\`.`).toEqual([]);
  }
});

test("an input without a needed field, with a wrong type or of another event is refused", () => {
  const whole = {
    session_id: "s",
    transcript_path: "/t",
    cwd: "/",
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: {},
    tool_use_id: "t",
  };
  const valid = (payload: unknown) => inputSchema("PreToolUse").safeParse(payload).success;
  expect(valid(whole)).toBe(true);
  expect(valid({ ...whole, further: 1 })).toBe(true);
  expect(valid({ ...whole, tool_name: undefined })).toBe(false);
  expect(valid({ ...whole, tool_input: "ls" })).toBe(false);
  expect(valid({ ...whole, hook_event_name: "Stop" })).toBe(false);
  expect(valid({ ...whole, effort: { level: 3 } })).toBe(false);
});

test("each event's output takes the answers of its row in their shape, and no decision it cannot act on", () => {
  for (const name of eventNames) {
    const row: EventRow = catalog[name];
    const schema = outputSchema(name);
    const accepts = (answers: object) =>
      schema.safeParse({ hookSpecificOutput: { hookEventName: name, ...answers } }).success;
    expect(schema.safeParse({}).success).toBe(true);
    expect(schema.safeParse({ hookSpecificOutput: { hookEventName: "Other" } }).success).toBe(false);
    expect(accepts({ unknown: 1 })).toBe(true);
    expect(accepts({ additionalContext: 1 })).toBe(!row.answers.includes("additionalContext"));
    for (const word of ["allow", "ask", "defer", "deny"] as const) {
      const honoured = !row.answers.includes("permissionDecision") || row.decisions.includes(word);
      expect(accepts({ permissionDecision: word }), `${name} ${word}`).toBe(honoured);
    }
  }
});

test("the universal answers are accepted on every event in their shape only", () => {
  const wrong: { [Key in keyof HookOutput]-?: unknown } = {
    continue: "no",
    stopReason: 1,
    suppressOutput: "yes",
    systemMessage: [],
    terminalSequence: 7,
    decision: true,
    reason: {},
    async: 1,
    asyncTimeout: "5",
    hookSpecificOutput: [],
  };
  expect(Object.keys(wrong)).toEqual(Object.keys(hookOutputFields));
  for (const name of eventNames) {
    const accepted = Object.entries(wrong).filter(
      ([key, value]) => outputSchema(name).safeParse({ [key]: value }).success,
    );
    expect(accepted).toEqual([]);
  }
});

test("a host's own row has schemas too", () => {
  const row: EventRow = { ...catalog.Notification, name: "Deployed", fields: { target: { is: "text" } } };
  expect(
    inputSchema(row).safeParse({
      session_id: "",
      transcript_path: "",
      cwd: "",
      hook_event_name: "Deployed",
      target: "x",
    }).success,
  ).toBe(true);
  expect(
    inputSchema(row).safeParse({ session_id: "", transcript_path: "", cwd: "", hook_event_name: "Deployed" }).success,
  ).toBe(false);
});

test.each([
  [{ type: "command", command: "x", args: [], timeout: 5, extra: 1 }, true],
  [{ type: "command" }, false],
  [{ type: "command", command: "x", timeout: 0 }, false],
  [{ type: "command", command: "x", timeout: "5" }, false],
  [{ type: "command", command: "x", shell: "zsh" }, false],
  [{ type: "http", url: "http://x", headers: { A: "b" } }, true],
  [{ type: "http", url: "http://x", headers: { A: 1 } }, false],
  [{ type: "prompt", prompt: "x" }, true],
  [{ type: "agent" }, false],
  [{ type: "mcp_tool", server: "s", tool: "t", input: {} }, true],
  [{ type: "callback" }, false],
  [{ type: "Command", command: "x" }, false],
])("the hook entry %j is valid: %s", (entry, valid) => {
  expect(hookSchema.safeParse(entry).success).toBe(valid);
  expect(groupSchema.safeParse({ hooks: [entry] }).success).toBe(valid);
  expect(settingsSchema.safeParse({ hooks: { Stop: [{ hooks: [entry] }] } }).success).toBe(valid);
});

test("no value whatsoever makes a validator throw", () => {
  fc.assert(
    fc.property(fc.anything({ withNullPrototype: true }), fc.constantFrom(...eventNames), (value, name) => {
      for (const schema of [settingsSchema, hookSchema, inputSchema(name), outputSchema(name)]) schema.safeParse(value);
    }),
    { numRuns: 200 },
  );
});

test("the reader of hook answers and the schemas agree on what an exact answer is", () => {
  const value = fc.oneof(
    fc.constantFrom<unknown>(
      "allow",
      "deny",
      "ask",
      "defer",
      "accept",
      "x",
      "",
      1,
      true,
      false,
      null,
      [],
      ["a"],
      [1],
      {},
      { behavior: "allow" },
      { behavior: "deny", message: 1 },
      { behavior: "no" },
    ),
    fc.jsonValue({ maxDepth: 1 }),
  );
  const answer = fc.constantFrom(...eventNames).chain((name) => {
    const row: EventRow = catalog[name];
    const keys = [...row.answers, ...(row.answers.includes("permissionDecision") ? ["permissionDecisionReason"] : [])];
    const specific =
      keys.length === 0 ? fc.constant({}) : fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 2 });
    const top = fc.dictionary(
      fc.constantFrom(...Object.keys(hookOutputFields).filter((key) => key !== "hookSpecificOutput")),
      value,
      { maxKeys: 2 },
    );
    return fc.tuple(fc.constant(row), top, fc.option(specific));
  });
  fc.assert(
    fc.property(answer, ([row, top, specific]) => {
      const { permissionDecision: word } = { permissionDecision: undefined, ...specific };
      // A field that this event does not support is still exact, and reported when it is read.
      fc.pre(
        word === undefined ||
          !["allow", "deny", "ask", "defer"].includes(String(word)) ||
          row.decisions.some((decision) => decision === word),
      );
      const output = {
        ...top,
        ...(specific === null ? {} : { hookSpecificOutput: { hookEventName: row.name, ...specific } }),
      };
      expect(outputFault(output) === undefined, `${row.name} ${JSON.stringify(output)}`).toBe(
        outputSchema(row).safeParse(output).success,
      );
    }),
    { numRuns: 1_500 },
  );
});

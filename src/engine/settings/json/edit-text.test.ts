import fc from "fast-check";
import { expect, test } from "vitest";
import { type Edit, editText } from "./edit-text.ts";
import { parseJsonc, plainValue } from "./jsonc.ts";

function edited(text: string, ...edits: Edit[]): string {
  return editText(text, edits);
}

const append = (value: unknown, ...path: (string | number)[]): Edit => ({ do: "append", path, value });
const set = (value: unknown, ...path: (string | number)[]): Edit => ({ do: "set", path, value });
const remove = (...path: (string | number)[]): Edit => ({ do: "remove", path });

test.each([
  ["an empty object", "{}", '{\n  "permissions": {\n    "deny": [\n      "Bash"\n    ]\n  }\n}'],
  ["an empty object with its line", "{\n}\n", '{\n  "permissions": {\n    "deny": [\n      "Bash"\n    ]\n  }\n}\n'],
  [
    "a list with a trailing comma",
    '{\n\t"permissions": {\n\t\t"deny": [\n\t\t\t"Read",\n\t\t],\n\t},\n}',
    '{\n\t"permissions": {\n\t\t"deny": [\n\t\t\t"Read",\n\t\t\t"Bash",\n\t\t],\n\t},\n}',
  ],
  [
    "a comment behind the last rule",
    '{"permissions": {"deny": [\n  "Read" // mine\n]}}',
    '{"permissions": {"deny": [\n  "Read", // mine\n  "Bash"\n]}}',
  ],
  [
    "a comment on its own line",
    '{"permissions": {"deny": [\n  "Read"\n  // end\n]}}',
    '{"permissions": {"deny": [\n  "Read",\n  "Bash"\n  // end\n]}}',
  ],
  ["a list on one line", '{ "permissions": { "deny": ["Read"] } }', '{ "permissions": { "deny": ["Read", "Bash"] } }'],
  ["a file without blanks", '{"permissions":{"deny":["Read"]}}', '{"permissions":{"deny":["Read","Bash"]}}'],
  ["an empty list without blanks", '{"permissions":{"deny":[]}}', '{"permissions":{"deny":["Bash"]}}'],
  [
    "an empty list with a comment",
    '{\n  "permissions": {\n    "deny": [ // none yet\n    ]\n  }\n}',
    '{\n  "permissions": {\n    "deny": [ // none yet\n      "Bash"\n    ]\n  }\n}',
  ],
  [
    "a line comment in a list on one line",
    '{"permissions": {"deny": ["Read" // x\n]}}',
    '{"permissions": {"deny": ["Read", // x\n"Bash"\n]}}',
  ],
  [
    "BOM and CRLF",
    '\ufeff{\r\n    "a": 1\r\n}\r\n',
    '\ufeff{\r\n    "a": 1,\r\n    "permissions": {\r\n        "deny": [\r\n            "Bash"\r\n        ]\r\n    }\r\n}\r\n',
  ],
])("a rule is added to %s", (_, text, result) => {
  expect(edited(text, append("Bash", "permissions", "deny"))).toBe(result);
});

test("only the intended lines differ", () => {
  const text = `\ufeff// settings\r\n{\r\n\t"theme": "dark", /* a */\r\n\t"permissions": {\r\n\t\t"allow": [ "Read" ],\r\n\t\t"deny": [\r\n\t\t\t"Bash(rm *)", // never\r\n\t\t],\r\n\t},\r\n}\r\n`;
  const before = text.split("\n");
  const after = edited(text, append("WebFetch", "permissions", "deny")).split("\n");
  expect(after.filter((line) => !before.includes(line))).toEqual(['\t\t\t"WebFetch",\r']);
  expect(before.filter((line) => !after.includes(line))).toEqual([]);
});

test("a file with numbers that JSON cannot write again is edited", () => {
  expect(edited('{"a": -0, "b": 1e999, "c": []}', append(1, "c"))).toBe('{"a": -0, "b": 1e999, "c": [1]}');
});

test("a value is replaced in place", () => {
  const text = '{\n  "a": { "b": [1, 2] }, // keep\n  "c": 1\n}';
  expect(edited(text, set({ x: true }, "a"), set("new", "c"))).toBe(
    '{\n  "a": {\n    "x": true\n  }, // keep\n  "c": "new"\n}',
  );
});

test.each([
  ['{"a": 1, "b": 2, "c": 3}', ["a"], '{"b": 2, "c": 3}'],
  ['{"a": 1, "b": 2, "c": 3}', ["b"], '{"a": 1, "c": 3}'],
  ['{"a": 1, "b": 2, "c": 3}', ["c"], '{"a": 1, "b": 2}'],
  ['{ "a": 1 }', ["a"], "{}"],
  ['{\n  "a": 1, // about a\n  "b": 2\n}', ["b"], '{\n  "a": 1 // about a\n}'],
  ['{\n  "a": 1, // about a\n  "b": 2, "c": 3\n}', ["b"], '{\n  "a": 1, // about a\n   "c": 3\n}'],
  ['{ // c\n  "a": 1 }', ["a"], "{ // c\n   }"],
  ['{\n  "a": 1,\n  // about b\n  "b": 2,\n}', ["b"], '{\n  "a": 1,\n  // about b\n}'],
  ["[1,\n2\n,3]", [1], "[1,3]"],
  ["[1, 2 /* two */, 3]", [1], "[1, /* two */ 3]"],
  ["[1 /* one */,]", [0], "[ /* one */]"],
  ['{"a": 1}', ["x"], '{"a": 1}'],
  ['{"a": [1]}', ["a", 5], '{"a": [1]}'],
])("from %j the value at %j is removed", (text, path, result) => {
  expect(edited(text, remove(...path))).toBe(result);
});

test("containers that were created for a value are removed with it, unless others use them", () => {
  const text = '{\n  "a": 1\n}\n';
  const first = edited(text, append({ hooks: [] }, "hooks", "Stop"));
  const removal: Edit = { do: "remove", path: ["hooks", "Stop", 0], made: ["hooks"] };
  expect(edited(first, removal)).toBe(text);
  const meanwhile = edited(first, append({ hooks: [] }, "hooks", "PreToolUse"), set(2, "a"));
  expect(edited(meanwhile, removal)).toBe(edited('{\n  "a": 2\n}\n', append({ hooks: [] }, "hooks", "PreToolUse")));
});

test.each([
  ["{", [append(1, "a")], "settings/unreadable"],
  ['{"a": 1, "a": 2}', [append(1, "b")], "settings/unreadable"],
  ['{"a": 1}', [append(1, "a")], "settings/not-editable"],
  ['{"a": 1}', [set(1, "a", "b")], "settings/not-editable"],
  ['{"a": []}', [set(1, "a", 3)], "settings/not-editable"],
  ['{"a": []}', [set(1, "a", "b")], "settings/not-editable"],
  ["[]", [set(1, "a")], "settings/not-editable"],
  ["{}", [set(1)], "settings/not-editable"],
  ["{}", [set(undefined, "a")], "settings/not-editable"],
])("%j: an edit that does not fit is refused", (text, edits, code) => {
  expect(() => editText(text, edits)).toThrow(expect.objectContaining({ code }));
});

test("a key such as __proto__ is edited like any other", () => {
  const text = edited("{}", set("1", "env", "__proto__"));
  expect(text).toBe('{\n  "env": {\n    "__proto__": "1"\n  }\n}');
  expect(edited(text, remove("env", "__proto__"))).toBe('{\n  "env": {}\n}');
});

/** Files as people write them: with comments, blanks and commas in every legal position. */
const blanks = fc
  .array(
    fc.constantFrom(
      " ",
      "\n",
      "\r\n",
      "\t",
      "  ",
      "// c\n",
      '// "x": [\r\n',
      "/* c */",
      "/* a\n b */",
      "// spaces  \n",
    ),
    { maxLength: 3 },
  )
  .map((parts) => parts.join(""));
const text = fc.string({ unit: fc.constantFrom("a", "b", '"', "\\", "/", "*", "{", ",", "\n", "é"), maxLength: 5 });
const key = fc.constantFrom("a", "b", "permissions", "deny", "hooks", "Stop", "env", "__proto__", "//");
const { value: someValue } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: "medium" },
    fc.oneof(
      text.map((value) => JSON.stringify(value)),
      fc.constantFrom("1", "-2.5", "true", "null"),
    ),
    container("[", "]", fc.array(tie("value"), { maxLength: 4 })),
    container(
      "{",
      "}",
      fc
        .uniqueArray(key, { maxLength: 4 })
        .chain((keys) =>
          fc.tuple(
            ...keys.map((name) =>
              fc.tuple(blanks, blanks, tie("value")).map(([a, b, value]) => `${JSON.stringify(name)}${a}:${b}${value}`),
            ),
          ),
        ),
    ),
  ),
}));

function container(open: string, close: string, items: fc.Arbitrary<string[]>): fc.Arbitrary<string> {
  return fc
    .tuple(items, fc.array(blanks, { minLength: 10, maxLength: 10 }), fc.boolean())
    .map(([inner, gaps, trailing]) => {
      const parts = inner.map((item, index) => `${gaps[index * 2] ?? ""}${item}${gaps[index * 2 + 1] ?? ""}`);
      return `${open}${parts.join(",")}${trailing && inner.length > 0 ? "," : ""}${gaps[9] ?? ""}${close}`;
    });
}

const root = container(
  "{",
  "}",
  fc
    .uniqueArray(key, { maxLength: 4 })
    .chain((keys) =>
      fc.tuple(
        ...keys.map((name) =>
          fc.tuple(blanks, blanks, someValue).map(([a, b, value]) => `${JSON.stringify(name)}${a}:${b}${value}`),
        ),
      ),
    ),
);
const file = fc.tuple(fc.constantFrom("", "\ufeff"), blanks, root, blanks).map((parts) => parts.join(""));

interface Place {
  readonly path: (string | number)[];
  /** The number of items. */
  readonly size: number;
}

/** The containers and the values of a file. */
function places(text: string): { objects: Place[]; lists: Place[]; values: (string | number)[][] } {
  const found = { objects: [] as Place[], lists: [] as Place[], values: [] as (string | number)[][] };
  const parsed = parseJsonc(text);
  if ("fault" in parsed) throw new Error(`${text}: ${parsed.fault.why}`);
  const walk = (value: unknown, path: (string | number)[]): void => {
    if (path.length > 0) found.values.push(path);
    if (Array.isArray(value)) {
      found.lists.push({ path, size: value.length });
      for (const [index, item] of value.entries()) walk(item, [...path, index]);
    } else if (typeof value === "object" && value !== null) {
      found.objects.push({ path, size: Object.keys(value).length });
      for (const [name, member] of Object.entries(value)) walk(member, [...path, name]);
    }
  };
  walk(plainValue(parsed.tree), []);
  return found;
}

test("what is added next to other items is removed again byte for byte, in any file", () => {
  const value = fc.constantFrom<unknown>(
    "Bash(rm *)",
    { matcher: "Bash", hooks: [{ type: "command", command: "x" }] },
    [1, []],
    {},
    null,
  );
  fc.assert(
    fc.property(file, value, fc.nat(), fc.nat(3), (before, added, pick, kind) => {
      const { objects, lists } = places(before);
      const at = (paths: Place[]) => paths[pick % paths.length] ?? { path: [], size: 0 };
      const { path, size } = kind === 0 ? at(lists.filter((one) => one.path.length > 0)) : at(objects);
      fc.pre(size > 0);
      const made = [...path, kind === 0 ? size : "new"];
      const [edit, removed]: [Edit, (string | number)[]] =
        kind === 0
          ? [append(added, ...path), made]
          : kind === 1
            ? [set(added, ...made), made]
            : kind === 2
              ? [append(added, ...made, "deeper"), [...made, "deeper", 0]]
              : [set(added, ...made, "deeper", "still"), [...made, "deeper", "still"]];
      expect(edited(before, edit, { do: "remove", path: removed, made })).toBe(before);
    }),
    { numRuns: 1_000 },
  );
});

test("after a removal everything else stays as it was written", () => {
  fc.assert(
    fc.property(file, fc.nat(), (before, pick) => {
      const { values } = places(before);
      fc.pre(values.length > 0);
      // The editor itself compares the result with the expected value, and throws if they differ.
      const after = edited(before, { do: "remove", path: values[pick % values.length] ?? [] });
      expect(after.length).toBeLessThan(before.length);
      expect(isSubsequence(after, before)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

function isSubsequence(part: string, whole: string): boolean {
  let at = 0;
  for (const unit of whole) if (unit === part[at]) at += 1;
  return at === part.length;
}

test("a long item gets its own lines where everything else is on one line", () => {
  const group = { hooks: [{ type: "command", command: "x".repeat(60), args: ["--on-failure", "block"], timeout: 35 }] };
  const texts = [
    '{"hooks": {"Stop": [{"hooks": []}]}}',
    '{"hooks":{"Stop":[]}}',
    '{\n  "hooks": { "PreToolUse": [] }\n}\n',
    '{ "model": "x" }',
  ];
  for (const text of texts) {
    const after = edited(text, append(group, "hooks", "Stop"), append(group, "hooks", "SessionEnd"));
    expect(Math.max(...after.split("\n").map((line) => line.length))).toBeLessThan(100);
  }
});

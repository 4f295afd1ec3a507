import fc from "fast-check";
import { expect, test } from "vitest";
import { frontmatterHooks } from "./frontmatter.ts";
import { readYaml } from "./yaml.ts";

function read(text: string): unknown {
  const result = readYaml(text.split("\n").map((line, index) => ({ number: index + 1, text: line })));
  return "fault" in result ? result.fault : result.value;
}

test("hooks as people write them in frontmatter", () => {
  expect(
    read(`hooks:
  # before every command
  PreToolUse:
    - matcher: "Bash"   # only this
      hooks:
        - type: command
          command: "./check.sh \\"x\\" # no comment"
          timeout: 5
          async: true
    - matcher: Write|Edit
      hooks:
      - type: command
        command: 'it''s'
        args: ["-a", "b"]
  Stop:
    -
      hooks:
        - { "type": "command", "command": "x" }
  'PostToolUse': []`),
  ).toEqual({
    hooks: {
      PreToolUse: [
        {
          matcher: "Bash",
          hooks: [{ type: "command", command: './check.sh "x" # no comment', timeout: 5, async: true }],
        },
        { matcher: "Write|Edit", hooks: [{ type: "command", command: "it's", args: ["-a", "b"] }] },
      ],
      Stop: [{ hooks: [{ type: "command", command: "x" }] }],
      PostToolUse: [],
    },
  });
});

test.each([
  ["a: null", { a: null }],
  ["a: ~", { a: null }],
  ["a:", { a: null }],
  ["a: 1.5\nb: -2\nc: 007\nd: yes", { a: 1.5, b: -2, c: "007", d: "yes" }],
  ["a: x#y # z", { a: "x#y" }],
  ["a: ./run.sh --flag=1", { a: "./run.sh --flag=1" }],
  ["a: http://x/y", { a: "http://x/y" }],
  ["- 1\n- - 2\n  - 3", [1, [2, 3]]],
  ["a: |\n  one\n    two\n\n  three\nb: 1", { a: "one\n  two\n\nthree\n", b: 1 }],
  ["a: |-\n  one", { a: "one" }],
  ["a: >\n  one\n  two\n\n  three", { a: "one two\nthree\n" }],
  ["", null],
])("%j reads as %j", (text, value) => {
  expect(read(text)).toEqual(value);
});

test.each([
  ["a: &x 1", 1, "&"],
  ["a: *x", 1, "*"],
  ["a: !tag x", 1, "!"],
  ["a: 1\na: 2", 2, "second time"],
  ["<<: {}", 1, "merge keys"],
  ["a: b\n  c", 2, "several lines"],
  ["a:\n\t- x", 2, "tabs"],
  ["a: 'x", 1, "closing quote"],
  ['a: "x', 1, "closing quote"],
  ["a: [1, b]", 1, "expected a value"],
  ["a: b: c", 1, "needs quotes"],
  ["just text", 1, 'expected "key: value"'],
  ["a:\n    b: 1\n  c: 2", 3, "indented"],
  ["- 1\nx: 2", 2, 'expected another "- "'],
])("%j is refused, not guessed at", (text, line, why) => {
  expect(read(text)).toEqual({ line, why: expect.stringContaining(why) });
});

test("long and hostile lines end at once", () => {
  expect(read(`a${" ".repeat(20_000)}b: 1`)).toEqual({ line: 1, why: "a line of more than 10000 characters" });
  expect(read("- ".repeat(1_000))).toEqual({ line: 1, why: "nested more than 50 deep" });
  const deep = Array.from({ length: 60 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n");
  expect(read(deep)).toEqual({ line: 52, why: "nested more than 50 deep" });
  const slow = Array.from({ length: 300 }, (_, index) => `a${index}${" ".repeat(9_000)}b: 1`).join("\n");
  expect(Object.keys(read(slow) as object)).toHaveLength(300);
  expect(read(`a: |\n${" x\n".repeat(500_000)}`)).toMatchObject({ a: expect.stringMatching(/^x\nx/) });
  expect(frontmatterHooks(`---\nhooks${" ".repeat(4_000_000)}: 1\n---`)).toMatchObject({ fault: { line: 2 } });
});

test("whatever is written as block YAML reads back", () => {
  const text = fc.string({
    unit: fc.constantFrom("a", "b", " ", ":", "#", "'", '"', "-", "\\", "é", "|", "{", "\n"),
    maxLength: 8,
  });
  const key = fc.stringMatching(/^[a-zA-Z][\w-]{0,6}$/);
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("value"), { minLength: 1, maxLength: 3 }),
      fc.dictionary(key, tie("value"), { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
    ),
  }));
  fc.assert(
    fc.property(fc.dictionary(key, value, { minKeys: 1, maxKeys: 3, noNullPrototype: true }), (written) => {
      expect(read(printed(written, 0))).toEqual(written);
    }),
    { numRuns: 500 },
  );
});

function printed(value: unknown, indent: number): string {
  const pad = " ".repeat(indent);
  if (Array.isArray(value)) return value.map((item) => `${pad}-${nested(item, indent)}`).join("\n");
  if (typeof value !== "object" || value === null) return `${pad}${JSON.stringify(value)}`;
  return Object.entries(value)
    .map(([key, item]) => `${pad}${key}:${nested(item, indent)}`)
    .join("\n");
}

function nested(value: unknown, indent: number): string {
  return typeof value === "object" && value !== null ? `\n${printed(value, indent + 2)}` : ` ${JSON.stringify(value)}`;
}

test("no text whatsoever makes reading throw", () => {
  const bits = fc.constantFrom(
    "- ",
    "-",
    "a",
    ": ",
    ":",
    "\n",
    "  ",
    "\t",
    "'",
    '"',
    "|",
    ">",
    "{",
    "}",
    "[",
    "]",
    "#",
    "---\n",
    "hooks:",
    "\\",
    "é",
    "1",
  );
  fc.assert(
    fc.property(fc.array(bits, { maxLength: 25 }), (parts) => {
      read(parts.join(""));
      frontmatterHooks(`---\n${parts.join("")}\n---\n`);
    }),
    { numRuns: 3_000 },
  );
});

test("only the hooks of a frontmatter are looked at, and its name", () => {
  const body = "# Title\nhooks:\n  Stop: []\n";
  expect(frontmatterHooks(body)).toBeUndefined();
  expect(frontmatterHooks(`---\nname: x\n---\n${body}`)).toBeUndefined();
  expect(frontmatterHooks(`---\nname: x\nhooks:\n  Stop: []\n`)).toBeUndefined();
  expect(
    frontmatterHooks(
      `\ufeff---\r\nname: "my agent" # n\r\ntools: &odd [a, b]\r\nhooks:\r\n  Stop: []\r\n# c\r\nmodel: >\r\n  x: y: z\r\n---\r\n${body}`,
    ),
  ).toEqual({
    name: "my agent",
    hooks: { Stop: [] },
  });
  expect(frontmatterHooks("---\nhooks:\n- a\n- b\ncolor: red\n---")).toEqual({ hooks: ["a", "b"] });
  expect(frontmatterHooks("---\nname: [odd]\nhooks:\n  Stop: *x\n---")).toEqual({
    fault: { line: 4, why: '"*" is not read here; put the text in quotes' },
  });
});

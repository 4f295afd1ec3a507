import fc from "fast-check";
import { expect, test } from "vitest";
import { frontmatterHooks, readFrontmatter } from "./frontmatter-hooks.ts";

const fieldsOf = async (head: string) => (await readFrontmatter(`---\n${head}\n---\nText\n`)).fields;
const guard = { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "./guard.sh" }] }] };

test("flow lists, flow maps, quotes and block texts are read as YAML", async () => {
  expect(await fieldsOf("tools: [Read, 'Bash(git *)', \"Edit\"]")).toEqual({ tools: ["Read", "Bash(git *)", "Edit"] });
  expect(await fieldsOf("a: {b: [1, two], c: {d: true}}")).toEqual({ a: { b: [1, "two"], c: { d: true } } });
  expect(await fieldsOf("a: 'it''s'\nb: \"x\\ty\" # remark\nc: plain # remark")).toEqual({
    a: "it's",
    b: "x\ty",
    c: "plain",
  });
  expect(await fieldsOf("a: |\n  one\n  two\nb: >-\n  folded\n  text")).toEqual({ a: "one\ntwo\n", b: "folded text" });
  expect(await fieldsOf("a:\n  - x\n  - y\nb: several\n  lines")).toEqual({ a: ["x", "y"], b: "several lines" });
  expect(await fieldsOf("base: &x [a]\nsame: *x")).toEqual({ base: ["a"], same: ["a"] });
});

test("hooks are found however they are written", async () => {
  const block =
    "hooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: ./guard.sh";
  const flow = `hooks: {PreToolUse: [{matcher: Bash, hooks: [{type: command, command: ./guard.sh}]}]}`;
  for (const head of [block, flow, `"hooks": ${JSON.stringify(guard)}`, JSON.stringify({ hooks: guard })]) {
    expect(await frontmatterHooks(`---\n${head}\nname: x\n---\n`.replace("}\nname: x", "}"))).toMatchObject({
      settings: { hooks: guard },
    });
  }
});

test("a plain value with a colon or a tab is read as Claude Code reads it", async () => {
  expect(await fieldsOf("description: Use when: a test fails\nname: x")).toEqual({
    description: "Use when: a test fails",
    name: "x",
  });
  expect(await fieldsOf("a: b: c\nlist:\n\t- x")).toEqual({ a: "b: c", list: ["x"] });
});

test("frontmatter that is nested too deeply is a fault with its line, and does not end the process", async () => {
  const deep = ["[".repeat(50_000), "{a: ".repeat(20_000), "[ ']' ".repeat(10_000)].map((value) => `a: ${value}`);
  const right = ["- ".repeat(40_000), "? ".repeat(40_000), `a:\n${" ".repeat(300)}b: 1`];
  for (const head of [...deep, ...right]) {
    const { fields, fault } = await readFrontmatter(`---\n${head}\n---\n`);
    expect([fields, fault?.why]).toEqual([{}, "it is nested too deeply"]);
  }
  const near = `a: ${"[".repeat(90)}${"]".repeat(90)}\nb: "${"[".repeat(500)}"`;
  expect((await readFrontmatter(`---\n${near}\n---\n`)).fault).toBeUndefined();
  expect((await readFrontmatter(`---\nname: x\nb: ${"[".repeat(500)}\n---\n`)).fault?.line).toBe(3);
});

test("frontmatter with thousands of anchors, tags or faults is refused at once", async () => {
  const heads = ["!a ", "&a ", "*a "].map((mark) => `a: ${mark.repeat(30_000)}`);
  const anchors = Array.from({ length: 6_000 }, (_, index) => `k${index}: &a${index} v`).join("\n");
  const before = process.cpuUsage();
  for (const head of [...heads, anchors]) {
    expect((await readFrontmatter(`---\n${head}\n---\n`)).fault?.why).toContain("more than 500 anchors");
  }
  const keys = Array.from({ length: 9_000 }, (_, index) => `k${index}: 1`).join("\n");
  expect((await readFrontmatter(`---\n${keys}\n---\n`)).fault?.why).toBe("it has too many parts");
  expect(process.cpuUsage(before).user).toBeLessThan(10e6);
});

test("an alias to its own parent is a fault, not an endless value", async () => {
  const { fields, fault } = await readFrontmatter("---\nhooks: &a {PreToolUse: [*a]}\n---\n");
  expect([fields, fault?.why]).toEqual([{}, expect.stringContaining("circular")]);
});

test("only frontmatter is read, and only if it has hooks", async () => {
  const body = "# Title\nhooks:\n  Stop: []\n";
  expect(await frontmatterHooks(body)).toBeUndefined();
  expect(await frontmatterHooks(`---\nname: x\n---\n${body}`)).toBeUndefined();
  expect(await frontmatterHooks(`\ufeff---\r\nname: "my agent"\r\nhooks:\r\n  Stop: []\r\n---\r\n${body}`)).toEqual({
    name: "my agent",
    settings: { hooks: { Stop: [] } },
  });
});

test("hooks that cannot be read are a fault with its line, never silence", async () => {
  expect(await frontmatterHooks("---\nname: x\nhooks:\n  Stop: []\n")).toMatchObject({ fault: { line: 1 } });
  expect(await frontmatterHooks("---\nname: x\nhooks: [a\n---\n")).toMatchObject({
    fault: { line: expect.any(Number) },
  });
  expect(await frontmatterHooks("---\nhooks: 1\nhooks: 2\n---\n")).toMatchObject({
    fault: { line: 3, why: "Map keys must be unique" },
  });
  expect(await frontmatterHooks("---\n- hooks\n- x\nhooks\n---\n")).toBeDefined();
});

const head = "---\nname: x\nhooks:\n  Stop: []\n---\n";

test.each<[string, string | Buffer]>([
  ["a blank line before it", `\n${head}`],
  ["a blank before its first line", ` ${head}`],
  ["a comment in its first line", head.replace("---", "--- # x")],
  ["more dashes", head.replaceAll("---", "----")],
  ["plus signs", head.replaceAll("---", "+++")],
  ["comments before its first key", `\n${head.replace("name", "# a\n\n  # b\nname")}`],
  ["carriage returns only", head.replaceAll("\n", "\r")],
  ["UTF-16", Buffer.from(`\ufeff${head}`, "utf16le")],
  ["big-endian UTF-16", Buffer.from(`\ufeff${head}`, "utf16le").swap16()],
])("hooks in frontmatter that is not recognized are a fault: %s", async (_, text) => {
  expect(await frontmatterHooks(text.toString("utf8"))).toMatchObject({ fault: { line: 1 } });
});

test("a text that begins with a rule and has no keys or no hooks up to the next one is not frontmatter", async () => {
  expect(await frontmatterHooks("\n---\nA title\n---\nhooks:\n  Stop: []\n")).toBeUndefined();
  expect(await frontmatterHooks("\n---\n# Title\n\nHow to write hooks\n---\n")).toBeUndefined();
  expect(await frontmatterHooks("----------\nWorking with hooks\n----------\n")).toBeUndefined();
  const before = process.cpuUsage();
  expect(await frontmatterHooks(`\n---\n${"-- \n \t".repeat(500_000)}`)).toBeUndefined();
  expect(await frontmatterHooks(`\n---\n${"# # \n \t".repeat(500_000)}`)).toBeUndefined();
  expect(process.cpuUsage(before).user).toBeLessThan(1e6);
});

test("hostile frontmatter ends at once, with a fault", async () => {
  const bomb = [
    "a: &a [x,x,x,x,x,x,x,x,x]",
    ...[..."bcdefgh"].map((key, n) => `${key}: &${key} [${`*${"abcdefg"[n]},`.repeat(9)}]`),
  ];
  expect((await readFrontmatter(`---\n${bomb.join("\n")}\n---\n`)).fault?.why).toContain("alias");
  expect((await readFrontmatter(`---\na: ${"x".repeat(200_000)}\n---\n`)).fault?.why).toContain("100000 characters");
  expect((await readFrontmatter(`---\na: ${"[".repeat(40_000)}\n---\n`)).fault).toBeDefined();
  expect(Object.keys(await fieldsOf("__proto__:\n  polluted: true"))).toEqual(["__proto__"]);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

test("reading never rejects, for any text", async () => {
  const bits = fc.constantFrom(
    "- ",
    "a",
    ": ",
    "\n",
    "  ",
    "\t",
    "'",
    '"',
    "|",
    "{",
    "}",
    "[",
    "#",
    "---\n",
    "hooks:",
    "\\",
    "&x",
    "*x",
    "!t ",
    "%",
  );
  await fc.assert(
    fc.asyncProperty(fc.array(bits, { maxLength: 25 }), async (parts) => {
      await frontmatterHooks(`---\n${parts.join("")}\n---\n`);
      await readFrontmatter(`---\n${parts.join("")}\n---\n`);
    }),
    { numRuns: 500 },
  );
});

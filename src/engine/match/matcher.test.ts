import fc from "fast-check";
import { expect, test } from "vitest";
import { catalog } from "../../protocol/internal.ts";
import { compileMatcher, matcherDetail, matcherValue, matches } from "./matcher.ts";

const onTool = catalog.PreToolUse.matchesOn;
const onFile = catalog.FileChanged.matchesOn;

function matching(text: string | undefined, values: readonly string[], field = onTool): string[] {
  const { matcher } = compileMatcher(text, field);
  return values.filter((value) => matches(matcher, value));
}

function codes(text: string, field = onTool): string[] {
  return compileMatcher(text, field).warnings.map(({ code }) => code);
}

const tools = ["Bash", "Write", "mcp__srv__do_thing", "Agent"];

test("an absent matcher, an empty one and * match everything, a missing value included", () => {
  for (const text of [undefined, "", "*"]) {
    expect(matching(text, tools)).toEqual(tools);
    expect(matches(compileMatcher(text, onTool).matcher, undefined)).toBe(true);
  }
});

test.each(["Bash", "Bash|Write", "Bash,Write", "Bash, Write", "Bash | Write", " Bash ", "Bash|", "|,Bash"])(
  "the list %j has the name Bash",
  (text) => {
    expect(matching(text, ["Bash"])).toEqual(["Bash"]);
    expect(codes(text)).toEqual([]);
  },
);

test.each(["Ba", "ash", "bash", "|", " ", ",", "mcp__srv", "Bash-Write"])(
  "the list %j has none of the tools",
  (text) => {
    expect(matching(text, tools)).toEqual([]);
    expect(codes(text)).toEqual([]);
  },
);

test.each([
  ["Ba.*", ["Bash"]],
  ["^Ba.*", ["Bash"]],
  ["a.h", ["Bash"]],
  ["B[a]sh", ["Bash"]],
  [".*", tools],
  ["^(?!Bash)", ["Write", "mcp__srv__do_thing", "Agent"]],
  ["mcp__srv__.*", ["mcp__srv__do_thing"]],
  ["mcp__srv__*", ["mcp__srv__do_thing"]],
  ["mcp__.*__do.*", ["mcp__srv__do_thing"]],
  ["Write|mcp__.*", ["Write", "mcp__srv__do_thing"]],
  ["(?<=^mcp__)srv", ["mcp__srv__do_thing"]],
  ["(?<!^)t\\b", ["Agent"]],
  ["\\bAgent$", ["Agent"]],
  ["\\x42ash", ["Bash"]],
  ["[^]sh", ["Bash"]],
  ["\\w{4}$", ["Bash", "Write", "mcp__srv__do_thing", "Agent"]],
  ["^\\w{4,5}$", ["Bash", "Write", "Agent"]],
])("the expression %j matches %j", (text, found) => {
  expect(matching(text, tools)).toEqual(found);
  expect(codes(text)).toEqual([]);
});

test("for an event with narrow names, spaces, commas and dashes make an expression", () => {
  expect(matching("a_b|c1", ["a_b", "c1", "a_bx"], onFile)).toEqual(["a_b", "c1"]);
  expect(matching("a,b", ["a,b", "xa,by", "a", "b"], onFile)).toEqual(["a,b", "xa,by"]);
  expect(matching("a-b", ["a-b", "xa-by"], onFile)).toEqual(["a-b", "xa-by"]);
  expect(matching(".env|package.json", ["xenv", "package.json", "packagesjson", "other"], onFile)).toEqual([
    "xenv",
    "package.json",
    "packagesjson",
  ]);
});

test("the base name of a path is compared, so an absolute path never matches", () => {
  const value = matcherValue(onFile, { file_path: "/home/dev/project/notes.txt" });
  expect(value).toBe("notes.txt");
  expect(matches(compileMatcher("/home/dev/project/notes.txt", onFile).matcher, value)).toBe(false);
  expect(matcherValue(onFile, { file_path: 7 })).toBeUndefined();
  expect(matcherValue(null, { file_path: "x" })).toBeUndefined();
});

test("an invalid expression that has * or ? is a glob over the whole value", () => {
  expect(matching("*Tool", ["MyTool", "Tool", "ToolX"])).toEqual(["MyTool", "Tool"]);
  expect(matching("*T??l", ["MyTool", "Tool", "Tol"])).toEqual(["MyTool", "Tool"]);
  expect(matching("**(x", ["a(x", "(x", "(xx"])).toEqual(["a(x", "(x"]);
  expect(codes("*Tool")).toEqual([]);
});

test("an invalid expression that is not a glob never matches and is reported", () => {
  expect(matching("(Bash", tools)).toEqual([]);
  expect(compileMatcher("(Bash", onTool, { place: "settings.json" }).warnings).toEqual([
    {
      code: "matcher-invalid",
      message: 'The matcher "(Bash" is not a valid expression: Unterminated group.',
      place: "settings.json",
    },
  ]);
});

test.each([
  "Bash(git *)",
  "Bash(echo *)",
  "Read(.env)",
  "Write(*.txt)",
  "Bash(npm run test:*)",
  "Edit(src/**)",
  "WebFetch(domain:x.org)",
])("the rule %s matches no tool and the warning suggests if", (text) => {
  expect(codes(text)).toEqual(["matcher-is-rule"]);
  expect(matching(text, [...tools, "Read", "Edit", "WebFetch"])).toEqual([]);
});

test.each(["Bash(.*)", "Notebook(Edit)", "Bash(?!Output)", "mcp__(a|b c)", "Bash([a-z ]*)", "(Bash)"])(
  "the expression %s is not taken for a rule",
  (text) => {
    expect(codes(text)).toEqual([]);
  },
);

test("older and current names of a tool match each other", () => {
  expect(matching("Task", ["Agent", "Task", "Bash"])).toEqual(["Agent", "Task"]);
  expect(matching("Agent", ["Agent", "Task", "Bash"])).toEqual(["Agent", "Task"]);
  expect(matching("^Task$", ["Agent", "Task", "Bash"])).toEqual(["Agent", "Task"]);
  expect(matching("^Agent$", ["Agent", "Task"])).toEqual(["Agent", "Task"]);
  const own = compileMatcher("RunShell", onTool, { aliases: { RunShell: "Bash", __proto__: "x" } }).matcher;
  expect(matches(own, "Bash")).toBe(true);
  expect(matches(own, "toString")).toBe(false);
});

test("aliases apply to tools only", () => {
  expect(matching("Task", ["Agent", "Task"], catalog.SubagentStart.matchesOn)).toEqual(["Task"]);
});

test("a tab, a line break and a no-break space make an expression", () => {
  for (const blank of ["\t", "\n", "\u00a0"]) {
    expect(matching(`Bash${blank}|Write`, ["Bash", "Write", `Bash${blank}`])).toEqual(["Write", `Bash${blank}`]);
  }
});

test.each([
  "(a+)+$",
  "(a*)*",
  "(.*)*x",
  "(.*a){20}",
  "(a|a)*b",
  "(a|ab)*c",
  "(\\w|\\d)+$",
  "(a|aa)+$",
  "(a?a)*b",
  "(a?b?)*c",
  "(?:a{1,2})*b",
  "a*a*b",
  "a*a+b",
  ".*.*x",
  ".*.*",
  "\\w+\\d+$",
  "a*b?a*c",
  "(a*)(a*)c",
  "(?:ab)*(?:ab)*c",
  "(x+x+)+y",
  "^(([a-z])+.)+[A-Z]([a-z])+$",
  "(?=(a+)+b)a",
  "(?:(?=.*a)b)*",
  "[\\s\\S]*[^x]*y",
  "\\u0430*[а-я]*x",
  "(.{100}){100}",
  "a{5000}",
  "(a)\\1",
])("the pattern %s is refused", (text) => {
  expect(codes(text)).toEqual(["matcher-unsafe"]);
  expect(matching(text, ["a", "aa", "ab", "x", "y", text])).toEqual([]);
});

test("a pattern or name over 1,000 characters and groups nested too deep are refused", () => {
  for (const text of ["a".repeat(1001), `^${"a".repeat(1000)}`, `${"(x|".repeat(60)}y${")".repeat(60)}`]) {
    expect(codes(text)).toEqual(["matcher-unsafe"]);
    expect(matching(text, [text, "a", "x", "y"])).toEqual([]);
  }
  expect(codes(`^${"a".repeat(999)}`)).toEqual([]);
});

test.each([
  "mcp__.*__write.*",
  "mcp__.*filesystem.*__.*write.*",
  "mcp__[a-z]+__(read|write)_.*",
  "^(?!Bash)",
  "^(?!.*safe).*$",
  ".*(write|delete|create).*",
  "^(Edit|MultiEdit|Write|NotebookEdit)$",
  "[a-z]*[0-9]*x",
  "(?:ab|cd)*e",
  "(?:[a-z]{2,8}_)*x",
  "a.*b.*c.*d.*e",
  "(a|a){30}b",
  "(a?){30}a{30}",
  "mcp__(?<server>.+)__x",
  "(?=.*a)(?=.*b)(?=.*c).*",
  "{",
  "a{,5}",
  "x]}",
  "\\p{L}",
])("the pattern %s is accepted", (text) => {
  expect(codes(text)).toEqual([]);
});

test("a list of names has no length limit", () => {
  const names = Array.from({ length: 200 }, (_, index) => `mcp__server__tool_${index}`);
  expect(matching(names.join("|"), ["mcp__server__tool_199", "mcp__server__tool_200"])).toEqual([
    "mcp__server__tool_199",
  ]);
});

test("a value over 512 characters matches every expression and is compared with names as usual", () => {
  const long = "x".repeat(513);
  expect(matching("^Bash$", [long])).toEqual([long]);
  expect(matching("*Tool", [long])).toEqual([long]);
  expect(matching("Bash", [long])).toEqual([]);
  expect(matching("(a+)+$", [long])).toEqual([]);
  expect(matching("^Bash$", ["x".repeat(512)])).toEqual([]);
});

test("when the step budget is used up, the hook runs", () => {
  const text = `a(?=[a-z]*${"(?=[a-z]*".repeat(3)}9))))`;
  expect(codes(text)).toEqual([]);
  expect(matching(text, ["aaaa", "a9"])).toEqual(["a9"]);
  expect(matching(text, ["a".repeat(512)])).toEqual(["a".repeat(512)]);
});

test("a matcher on an event without matchers is ignored and reported; * is not reported", () => {
  const { matcher, warnings } = compileMatcher("Bash", null);
  expect(matches(matcher, undefined)).toBe(true);
  expect(warnings.map(({ code }) => code)).toEqual(["matcher-ignored"]);
  expect(compileMatcher("*", null).warnings).toEqual([]);
});

test("matcherDetail explains why a value matches or not", () => {
  const detail = (text: string | undefined, value: string | undefined) =>
    matcherDetail(compileMatcher(text, onTool).matcher, value);
  expect([
    detail(undefined, "Bash"),
    detail("*", "Bash"),
    detail("Write|Edit", "Bash"),
    detail("Write|Edit", "Edit"),
    detail("Task", "Agent"),
    detail("mcp__.*", "Bash"),
    detail("B.*", "Bash"),
    detail("B.*", undefined),
    detail("B.*", "x".repeat(600)),
    detail("(Bash", "Bash"),
  ]).toEqual([
    "no matcher: every value matches",
    "* matches every value",
    '"Bash" does not match "Write|Edit"',
    '"Edit" matches "Write|Edit"',
    '"Agent" matches "Task" under an older name',
    '"Bash" does not match the expression "mcp__.*"',
    '"Bash" matches the expression "B.*"',
    'the payload has no value to compare with "B.*"',
    'a value of 600 characters is too long for the expression "B.*": the hook runs',
    'the matcher "(Bash" never matches: Unterminated group',
  ]);
});

/** Patterns over a small alphabet, so that random values often match. */
const pattern = fc.letrec<{ choice: string; sequence: string; part: string; atom: string }>((tie) => ({
  choice: fc.array(tie("sequence"), { minLength: 1, maxLength: 3 }).map((parts) => parts.join("|")),
  sequence: fc.array(tie("part"), { maxLength: 4 }).map((parts) => parts.join("")),
  part: fc
    .tuple(tie("atom"), fc.constantFrom("", "", "", "*", "+", "?", "*?", "+?", "{2}", "{1,3}", "{0,2}", "{2,}"))
    .map(([atom, quantifier]) => (/^(?:[$^]|\\[bB])$|^\(\?<?[=!]/.test(atom) ? atom : atom + quantifier)),
  atom: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(
      "a",
      "b",
      "_",
      ".",
      "[ab]",
      "[^a]",
      "\\w",
      "\\d",
      "\\W",
      "1",
      "^",
      "$",
      "\\b",
      "\\B",
      "-",
      "é",
      "{",
    ),
    tie("choice").map((inner) => `(${inner})`),
    tie("choice").map((inner) => `(?:${inner})`),
    fc.tuple(fc.constantFrom("=", "!", "<=", "<!"), tie("choice")).map(([kind, inner]) => `(?${kind}${inner})`),
  ),
})).choice;

test("an accepted expression accepts exactly what RegExp accepts", () => {
  fc.assert(
    fc.property(
      pattern,
      fc.array(fc.string({ unit: fc.constantFrom("a", "b", "_", "1", "-", "é", "\n"), maxLength: 9 }), {
        minLength: 5,
        maxLength: 5,
      }),
      (text, values) => {
        fc.pre(text !== "" && isExpression(text));
        const { matcher } = compileMatcher(text, { field: "other" });
        if (matcher.kind !== "expression") return;
        const native = new RegExp(text);
        expect(values.map((value) => matches(matcher, value))).toEqual(values.map((value) => native.test(value)));
      },
    ),
    { numRuns: 2_000 },
  );
});

test("compiling and matching never throw for any pattern and value", () => {
  fc.assert(
    fc.property(
      fc.oneof(pattern, fc.string({ maxLength: 40 })),
      fc.constantFrom("a", "b", "_", "ab", "a_", "é1"),
      (text, unit) => {
        const { matcher } = compileMatcher(text, onTool);
        expect(typeof matches(matcher, unit.repeat(256).slice(0, 511))).toBe("boolean");
      },
    ),
    { numRuns: 500 },
  );
});

function isExpression(text: string): boolean {
  try {
    return new RegExp(text) !== undefined;
  } catch {
    return false;
  }
}

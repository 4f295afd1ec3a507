import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { claudeCodeFault } from "./claude-code-fault.ts";

type Does = "reads it" | "drops the entry" | "drops the file" | "runs no hook" | "does not start";

interface Measured {
  readonly name: string;
  readonly file: "own" | "managed";
  readonly text: string;
  readonly "2.1.197": Does;
  readonly "2.1.325": Does;
}

/** Files given to Claude Code, with what each did: whether its hooks ran and its env was in effect. */
const measured = JSON.parse(
  readFileSync(new URL("../../../test/fixtures/client-settings/measured.json", import.meta.url), "utf8"),
) as readonly Measured[];

const dropped = "drops the whole file, its hooks included";

/** What must be reported for what Claude Code did. */
const effects: Readonly<Record<string, string | undefined>> = {
  "own: reads it, reads it": undefined,
  "own: drops the file, drops the file": `Claude Code ${dropped}`,
  "own: drops the file, drops the entry": `Claude Code 2.1.197 ${dropped}; 2.1.325 drops this entry`,
  "own: drops the file, reads it": `Claude Code 2.1.197 ${dropped}`,
  "own: reads it, drops the file": `Claude Code 2.1.325 ${dropped}`,
  "own: reads it, drops the entry": "Claude Code 2.1.325 drops this entry",
  "own: runs no hook, runs no hook": "Claude Code runs none of its hooks",
  "managed: reads it, reads it": undefined,
  "managed: drops the entry, drops the entry": undefined,
  "managed: drops the file, does not start": `Claude Code 2.1.325 does not start; 2.1.197 ${dropped}`,
  "managed: runs no hook, runs no hook": "Claude Code runs none of its hooks",
  "managed: runs no hook, drops the entry": "Claude Code 2.1.197 runs none of its hooks; 2.1.325 drops this entry",
};

/** Dropped entries that are not hooks, or hooks of no event: other warnings are about those, and every hook of an event runs. */
const noHookLost = /unknown event|lowercase event|^event |event null|^allow|^deny|rule/;
/** Nothing in them could be lost. */
const empty = /^(?:empty|blank) file$/;
/** The old release drops the file, the new one an entry that is not a hook. */
const marketplace = "extraKnownMarketplaces bad";

test("every settings file that Claude Code drops is found, with what each version does, and no other", () => {
  expect(measured.length).toBeGreaterThan(200);
  const expected = measured.map((one) => {
    const does = `${one.file}: ${one["2.1.197"]}, ${one["2.1.325"]}`;
    expect(Object.keys(effects)).toContain(does);
    if (empty.test(one.name)) return [one.name, undefined];
    if (one.name === marketplace) return [one.name, `Claude Code 2.1.197 ${dropped}`];
    const isOther = does === "own: reads it, drops the entry" && noHookLost.test(one.name);
    return [one.name, isOther ? undefined : effects[does]];
  });
  expect(measured.map(({ name, text, file }) => [name, claudeCodeFault(text, file)?.effect])).toEqual(expected);
});

test("a fault names line, column and reason", () => {
  const file = (hook: object) => JSON.stringify({ model: "x", hooks: { PreToolUse: [{ hooks: [hook] }] } }, null, 2);
  const effect = `Claude Code ${dropped}`;
  expect([
    claudeCodeFault('{\n  // mine\n  "model": "x"\n}'),
    claudeCodeFault('{\n  "model": "x" /* mine */\n}'),
    claudeCodeFault('{\n  "permissions": {},\n}'),
    claudeCodeFault('{\n  // mine\n  "model": 5\n}'),
    claudeCodeFault('{\n  "model": 5\n}'),
    claudeCodeFault(file({ type: "comand", command: "true" })),
    claudeCodeFault(file({ type: "command", command: "true", onFailure: "blok" })),
    claudeCodeFault('{ "model": '),
  ]).toEqual([
    { line: 2, column: 3, reason: "a comment, which is not allowed in JSON", effect, cure: "strip-comments" },
    { line: 2, column: 16, reason: "a comment, which is not allowed in JSON", effect, cure: "strip-comments" },
    { line: 2, column: 20, reason: "a trailing comma, which is not allowed in JSON", effect, cure: "strip-comments" },
    { line: 2, column: 3, reason: "a comment, which is not allowed in JSON", effect },
    { line: 2, column: 3, reason: "model must be a string, not 5", effect },
    { line: 8, column: 13, reason: 'hooks.PreToolUse.0.hooks.0.type is not a hook type: "comand"', effect },
    {
      line: 10,
      column: 13,
      reason: 'hooks.PreToolUse.0.hooks.0.onFailure must be "continue" or "block", not "blok"',
      effect: `Claude Code 2.1.325 ${dropped}`,
    },
    { line: 1, column: 12, reason: "expected a value, found the end of the file", effect },
  ]);
});

test("Claude Code reads a file with a byte order mark, and one with a duplicate key", () => {
  expect([claudeCodeFault('\ufeff{ "model": "x" }'), claudeCodeFault('{ "model": "x", "model": "y" }')]).toEqual([
    undefined,
    undefined,
  ]);
});

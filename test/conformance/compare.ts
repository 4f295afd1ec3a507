import type { Json } from "./case.ts";

/** What of an outcome is not as `then` says, as a line each; see conformance/README.md for the rules. */
export function outcomeDifferences(then: Json, outcome: Json): readonly string[] {
  const expected: Json = { ...resting, ...then };
  const found: Json = { ...outcome, warnings: worthNaming(outcome["warnings"], then["warnings"]) };
  const unnamed = onlyWhenNamed.filter((field) => !(field in then) && found[field] !== undefined);
  return [
    ...differences(expected, found),
    ...compareWhole.flatMap((field) => surplus(expected[field], found[field], `outcome.${field}`)),
    ...unnamed.map((field) => `outcome.${field}: not expected, found ${JSON.stringify(found[field])}`),
  ];
}

/** An outcome when no hook answered. */
const resting: Json = {
  decision: "none",
  blocked: false,
  continue: true,
  additionalContext: [],
  systemMessages: [],
  output: {},
  skipped: [],
  warnings: [],
};

const onlyWhenNamed: readonly string[] = ["reason", "stopReason", "updatedInput"];
const compareWhole: readonly string[] = ["output", "updatedInput"];

/**
 * A case names the fields it is about; warnings about other missing fields are not compared. How Claude Code reads a file is reported
 * by the command line only and is not part of an outcome.
 */
function worthNaming(found: unknown, named: unknown): unknown {
  const all = JSON.stringify(named ?? []);
  if (!Array.isArray(found)) return found;
  const unsaid = ["payload-incomplete", "client-cannot-read"].filter((code) => !all.includes(`"${code}"`));
  return found.filter((warning: Json) => !unsaid.includes(String(warning["code"])));
}

/** What of `expected` is not in `found`: objects may have further keys, lists may not be longer, `/…/` is an expression. */
export function differences(expected: unknown, found: unknown, path = "outcome"): readonly string[] {
  if (Array.isArray(expected)) return listDifferences(expected, found, path);
  if (isObject(expected)) {
    if (!isObject(found)) return [unlike(path, expected, found)];
    return Object.entries(expected).flatMap(([key, value]) => differences(value, found[key], `${path}.${key}`));
  }
  const expression = typeof expected === "string" ? /^\/(.+)\/$/s.exec(expected)?.[1] : undefined;
  const equal = expression === undefined ? expected === found : new RegExp(expression, "s").test(String(found));
  return equal ? [] : [unlike(path, expected, found)];
}

function listDifferences(expected: readonly unknown[], found: unknown, path: string): readonly string[] {
  if (!Array.isArray(found) || found.length !== expected.length) return [unlike(path, expected, found)];
  return expected.flatMap((item, index) => differences(item, found[index], `${path}[${index}]`));
}

/** Keys that `found` has beyond `expected`, at any depth. */
function surplus(expected: unknown, found: unknown, path: string): readonly string[] {
  if (Array.isArray(expected) && Array.isArray(found)) {
    return expected.flatMap((item, index) => surplus(item, found[index], `${path}[${index}]`));
  }
  if (!isObject(expected) || !isObject(found)) return [];
  return Object.entries(found).flatMap(([key, value]) =>
    key in expected
      ? surplus(expected[key], value, `${path}.${key}`)
      : [`${path}.${key}: not expected, found ${JSON.stringify(value)}`],
  );
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function unlike(path: string, expected: unknown, found: unknown): string {
  return `${path}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`;
}

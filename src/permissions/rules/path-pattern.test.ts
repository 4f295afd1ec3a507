import fc from "fast-check";
import { expect, test } from "vitest";
import { compilePath, coversPath, type PathPattern } from "./path-pattern.ts";
import { isInvalid } from "./rule.ts";

function compiled(spec: string): PathPattern {
  const pattern = compilePath(spec);
  if (isInvalid(pattern)) throw new Error(pattern.invalid);
  return pattern;
}

const covered = (spec: string, path: string, more = {}) =>
  coversPath(compiled(spec), path.split("/"), { anyDepth: false, folded: false, folderItself: false, ...more });

test("star, question mark and sets stay in one segment, two stars cross", () => {
  expect(["src/a.ts", "src/x/a.ts", "src/.a.ts"].map((path) => covered("./src/*.ts", path))).toEqual([
    true,
    false,
    true,
  ]);
  expect(["src/a.ts", "src/x/y/a.ts", "a.ts"].map((path) => covered("./src/**/*.ts", path))).toEqual([
    true,
    true,
    false,
  ]);
  expect(["a1", "ab", "a12"].map((path) => covered("./a[0-9]", path))).toEqual([true, false, false]);
  expect(["a1", "ab"].map((path) => covered("./a[!0-9]", path))).toEqual([false, true]);
  expect(["ab", "a/b"].map((path) => covered("./a?", path))).toEqual([true, false]);
  expect(["a[b", "ab"].map((path) => covered("./a[b", path))).toEqual([true, false]);
  expect(["a*", "ax"].map((path) => covered("./a\\*", path))).toEqual([true, false]);
});

test("a name without a slash matches at any depth, a folder covers everything in it", () => {
  expect([".env", "a/b/.env", "a/.env/x", "a/.envx"].map((path) => covered(".env", path))).toEqual([
    true,
    true,
    true,
    false,
  ]);
  expect(["src/a", "x/src/a"].map((path) => covered("src/**", path))).toEqual([true, false]);
  expect(["src/a", "x/src/a"].map((path) => covered("src/**", path, { anyDepth: true }))).toEqual([true, true]);
  expect(["src/a", "x/src/a"].map((path) => covered("./src/**", path))).toEqual([true, false]);
  expect(["src/a", "x/src/a"].map((path) => covered("./src/**", path, { anyDepth: true }))).toEqual([true, true]);
  expect(["src/a", "x/src/a"].map((path) => covered("./src/a", path, { anyDepth: true }))).toEqual([true, false]);
  expect([
    covered("./src/**", "src"),
    covered("./src/**", "src", { folderItself: true }),
    covered("./src/", "src/x"),
  ]).toEqual([false, true, true]);
});

test("the beginning of a pattern sets its anchor: root, home, source or working directory", () => {
  const anchors = ["//etc/x", "~/x", "/x", "./x", "x", "x/y", "~", "~user/x", "/", "//"].map(
    (spec) => compiled(spec).anchor,
  );
  expect(anchors).toEqual(["root", "home", "source", "cwd", "cwd", "cwd", "home", "cwd", "source", "root"]);
});

test("negation and climbing are invalid", () => {
  for (const spec of ["!x", "../x", "a/../b", `./${"x".repeat(300)}`])
    expect(isInvalid(compilePath(spec)), spec).toBe(true);
});

test("folded patterns take names in any case and Unicode form", () => {
  expect(covered("./Caf\u00e9/*.TS", "cafe\u0301/a.ts".normalize("NFC").toLowerCase(), { folded: true })).toBe(true);
});

/** The same by trying everything: whether the pattern fits a path or a folder above it. */
function byTrial(pattern: readonly string[], path: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return true;
  if (first === "**" && rest.length === 0) return path.length > 0;
  if (first === "**") return path.some((_, index) => byTrial(rest, path.slice(index)));
  const [name, ...deeper] = path;
  if (name === undefined) return false;
  const expression = new RegExp(`^${first.replaceAll("*", "[^]*").replaceAll("?", "[^]")}$`);
  return expression.test(name) && byTrial(rest, deeper);
}

test("matching with one step back covers what trying everything finds", () => {
  const name = fc
    .string({ unit: fc.constantFrom("a", "b", "*", "?"), minLength: 1, maxLength: 5 })
    .map((text) => text.replace(/\*+/g, "*"));
  const patterns = fc.array(fc.oneof({ weight: 3, arbitrary: name }, { weight: 1, arbitrary: fc.constant("**") }), {
    minLength: 1,
    maxLength: 5,
  });
  const paths = fc.array(fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 4 }), {
    minLength: 1,
    maxLength: 6,
  });
  fc.assert(
    fc.property(patterns, paths, (pattern, path) => {
      const single = pattern.filter((segment, index) => segment !== "**" || pattern[index + 1] !== "**");
      return covered(`./${pattern.join("/")}`, path.join("/")) === byTrial(single, path);
    }),
    { numRuns: 600 },
  );
});

test("no pattern takes long on a long path", () => {
  const path = `${"a/".repeat(1_000)}b`;
  expect(covered(`./${"**/*a*a*a*a*/".repeat(20)}c`, path)).toBe(false);
  expect(covered(`./${"*a".repeat(100)}`, "a".repeat(4_000))).toBe(true);
});

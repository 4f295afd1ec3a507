import { join, resolve } from "node:path";
import { beforeAll, expect, test } from "vitest";

interface EntryPoint {
  readonly name: string;
  readonly names: readonly PublicName[];
}

interface PublicName {
  readonly name: string;
  readonly kind: "function" | "class" | "constant" | "type";
  readonly summary: string;
  readonly declaredAt: string;
  readonly membersWithoutComment: readonly string[];
}

const root = resolve(import.meta.dirname, "..");
let api: readonly EntryPoint[];
let resultTypes: ReadonlySet<string>;

beforeAll(async () => {
  const { publicApi } = (await import(join(root, "scripts/docs/api-page.mjs"))) as { publicApi(): EntryPoint[] };
  api = publicApi();
  ({ resultTypes } = (await import(join(root, "scripts/docs/result-types.mjs"))) as { resultTypes: Set<string> });
});

test("every exported name has a comment whose first sentence says what it is", () => {
  const names = api.flatMap((entryPoint) => entryPoint.names.map((one) => ({ entryPoint: entryPoint.name, ...one })));
  expect(names.filter(({ kind }) => kind !== "type").length).toBeGreaterThan(80);
  expect(names.filter(({ kind }) => kind === "type").length).toBeGreaterThan(300);
  expect(names.filter(({ summary }) => summary === "").map(({ entryPoint, name }) => `${entryPoint} ${name}`)).toEqual(
    [],
  );
});

test("every member that a user sets, implements or calls has a comment, and the list of exceptions has no needless name", () => {
  const incomplete = new Map(
    api
      .flatMap(({ names }) => names)
      .flatMap((one) => (one.membersWithoutComment.length > 0 ? [[one.name, one] as const] : [])),
  );
  const wrong = [...incomplete.values()].filter(({ name }) => !resultTypes.has(name));
  expect(wrong.map(({ name, membersWithoutComment }) => [name, ...membersWithoutComment])).toEqual([]);
  expect([...resultTypes].filter((name) => !incomplete.has(name))).toEqual([]);
});

test("no name means two things in two entry points", () => {
  const declared = new Map<string, Set<string>>();
  for (const { name, declaredAt } of api.flatMap(({ names }) => names))
    declared.set(name, (declared.get(name) ?? new Set()).add(declaredAt));
  expect([...declared].filter(([, places]) => places.size > 1).map(([name]) => name)).toEqual([]);
});

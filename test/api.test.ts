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
  /** Users only read it, so its members need no comment. */
  readonly isResult: boolean;
  readonly membersWithoutComment: readonly string[];
}

const root = resolve(import.meta.dirname, "..");
let api: readonly EntryPoint[];

beforeAll(async () => {
  const { publicApi } = (await import(join(root, "scripts/docs/api-page.mjs"))) as { publicApi(): EntryPoint[] };
  api = publicApi();
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
  const names = api.flatMap((entryPoint) => entryPoint.names);
  const incomplete = names.filter(({ membersWithoutComment }) => membersWithoutComment.length > 0);
  const wrong = incomplete.filter(({ isResult }) => !isResult);
  expect(wrong.map(({ name, membersWithoutComment }) => [name, ...membersWithoutComment])).toEqual([]);
  const needless = names.filter((one) => one.isResult && !incomplete.includes(one));
  expect(needless.map(({ name }) => name)).toEqual([]);
});

test("no name means two things in two entry points", () => {
  const declared = new Map<string, Set<string>>();
  for (const { name, declaredAt } of api.flatMap(({ names }) => names))
    declared.set(name, (declared.get(name) ?? new Set()).add(declaredAt));
  expect([...declared].filter(([, places]) => places.size > 1).map(([name]) => name)).toEqual([]);
});

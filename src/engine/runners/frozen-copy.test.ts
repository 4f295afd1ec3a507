import { expect, test } from "vitest";
import { frozenClone } from "./in-process.ts";

test("a copy is equal, frozen to its depth, and shares nothing with the original", () => {
  const original = { list: [{ a: 1 }], text: "x", none: null, missing: undefined };
  const copy = frozenClone(original);
  expect(copy).toEqual(original);
  for (const [one, other] of [
    [copy, original],
    [copy.list, original.list],
    [copy.list[0], original.list[0]],
  ]) {
    expect(one).not.toBe(other);
    expect([Object.isFrozen(one), Object.isFrozen(other)]).toEqual([true, false]);
  }
});

test("circles, shared objects and great depth are copied", () => {
  const circle: Record<string, unknown> = { shared: [1] };
  circle["self"] = circle;
  circle["again"] = circle["shared"];
  const copy = frozenClone(circle);
  expect(copy["self"]).toBe(copy);
  expect(copy["again"]).toBe(copy["shared"]);
  let deep: unknown = 1;
  for (let level = 0; level < 100_000; level++) deep = [deep];
  expect(Object.isFrozen(frozenClone(deep))).toBe(true);
});

test("dates, bytes, maps and sets are copied as what they are, other objects by their fields", () => {
  class Point {
    readonly x = 1;
    get twice() {
      return 2;
    }
  }
  const original = {
    at: new Date(5),
    bytes: Buffer.from("x"),
    map: new Map([["k", [1]]]),
    set: new Set([1]),
    point: new Point(),
  };
  const copy = frozenClone(original);
  expect(copy.at.getTime()).toBe(5);
  expect([...copy.bytes]).toEqual([120]);
  expect(copy.map.get("k")).toEqual([1]);
  expect(copy.set.has(1)).toBe(true);
  expect(copy.point).toEqual({ x: 1 });
  copy.bytes[0] = 0;
  expect(original.bytes[0]).toBe(120);
});

test("a field named __proto__ is a field like any other", () => {
  const copy = frozenClone(JSON.parse('{"__proto__": {"a": 1}}') as Record<string, unknown>);
  expect(Object.keys(copy)).toEqual(["__proto__"]);
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
});

test("a value that cannot be read is a bad payload", () => {
  const trap = {
    get x(): never {
      throw new Error("trap");
    },
  };
  expect(() => frozenClone(trap)).toThrow(expect.objectContaining({ code: "event/bad-payload" }));
});

test("an object with toJSON is copied as its JSON form", () => {
  const original = { url: new URL("http://a.example/b"), text: new String("x"), list: [new Number(3)] };
  expect(frozenClone<unknown>(original)).toEqual(JSON.parse(JSON.stringify(original)));
});

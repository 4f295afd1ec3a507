import { expect, test } from "vitest";
import { nearest } from "./did-you-mean.ts";
import { catalog, rowOf } from "./events/catalog.ts";

const events = Object.keys(catalog);

test("a slip of the fingers or of the shift key finds the word that was meant", () => {
  expect(nearest("pretooluse", events)).toBe("PreToolUse");
  expect(nearest("PreTolUse", events)).toBe("PreToolUse");
  expect(nearest("Stopp", events)).toBe("Stop");
});

test("a word cut short finds the shortest one that begins with it", () => {
  expect(nearest("PreTool", events)).toBe("PreToolUse");
  expect(nearest("PostTool", events)).toBe("PostToolUse");
  expect(nearest("notif", events)).toBe("Notification");
});

test("what resembles nothing finds nothing", () => {
  expect(nearest("Banana", events)).toBeUndefined();
  expect(nearest("P", events)).toBeUndefined();
  expect(nearest("", events)).toBeUndefined();
});

test("an unknown event is refused with the nearest name", () => {
  expect(() => rowOf("PreTool")).toThrow('"PreTool" is not an event. Did you mean "PreToolUse"?');
});

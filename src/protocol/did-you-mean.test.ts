import { expect, test } from "vitest";
import { closestName, didYouMean, isMisspelling } from "./did-you-mean.ts";
import { catalog, eventRow } from "./events/catalog.ts";

const events = Object.keys(catalog);

test("a slip of the fingers or of the shift key finds the word that was meant", () => {
  expect(closestName("pretooluse", events)).toBe("PreToolUse");
  expect(closestName("PreTolUse", events)).toBe("PreToolUse");
  expect(closestName("Stopp", events)).toBe("Stop");
});

test("a word cut short finds the shortest one that begins with it", () => {
  expect(closestName("PreTool", events)).toBe("PreToolUse");
  expect(closestName("PostTool", events)).toBe("PostToolUse");
  expect(closestName("notif", events)).toBe("Notification");
});

test("what resembles nothing finds nothing", () => {
  expect(closestName("Banana", events)).toBeUndefined();
  expect(closestName("P", events)).toBeUndefined();
  expect(closestName("", events)).toBeUndefined();
});

test("an unknown event is refused with the nearest name", () => {
  expect(() => eventRow("PreTool")).toThrow('"PreTool" is not an event. Did you mean "PreToolUse"?');
});

test.each([
  ["bash", "Bash", true],
  ["Bsh", "Bash", true],
  ["Edti", "Edit", true],
  ["Baash", "Bash", true],
  ["Bush", "Bash", true],
  ["Brush", "Bash", false],
  ["Send", "Read", false],
  ["L", "LS", false],
  ["", "Bash", false],
])("%s as a misspelling of %s: %s", (word, name, expected) => {
  expect(isMisspelling(word, name)).toBe(expected);
});

test("the hint is a sentence to append: the closest name, or else another sentence, or nothing", () => {
  expect(didYouMean("Stopp", events)).toBe(' Did you mean "Stop"?');
  expect(didYouMean("Banana", events, "See the list.")).toBe(" See the list.");
  expect(didYouMean("Banana", events)).toBe("");
  expect(didYouMean("Stop", events)).toBe("");
});

import { expect, test } from "vitest";
import { truncateUtf8 } from "./runner-result.ts";

test("a text that fits is kept as it is", () => {
  expect(truncateUtf8("añ€😀", 10)).toEqual({ text: "añ€😀", dropped: 0 });
});

test("a text that is too long loses whole characters from its end", () => {
  expect(truncateUtf8("añ€😀", 9)).toEqual({ text: "añ€", dropped: 4 });
  expect(truncateUtf8("añ€😀", 5)).toEqual({ text: "añ", dropped: 7 });
  expect(truncateUtf8("€", 0)).toEqual({ text: "", dropped: 3 });
});

import { expect, test } from "vitest";
import { keep } from "./runner-result.ts";

test("a text that fits is kept as it is", () => {
  expect(keep("añ€😀", 10)).toEqual({ text: "añ€😀", dropped: 0 });
});

test("a longer one loses whole characters from its end", () => {
  expect(keep("añ€😀", 9)).toEqual({ text: "añ€", dropped: 4 });
  expect(keep("añ€😀", 5)).toEqual({ text: "añ", dropped: 7 });
  expect(keep("€", 0)).toEqual({ text: "", dropped: 3 });
});

import { expect, test } from "vitest";
import { admitUrl } from "./destination.ts";

const open = { urlLists: [], allowPrivate: false };
const refusal = (text: string, policy = {}) => {
  const admitted = admitUrl(text, { ...open, ...policy });
  return "refused" in admitted ? admitted.refused : undefined;
};

test("only http and https are allowed, and no refusal repeats a user name or password", () => {
  expect(refusal("https://a.example/x")).toBeUndefined();
  expect(refusal("file:///etc/passwd")).toBe("the url begins with file: but only http: and https: are allowed");
  expect(refusal("ws://a.example/")).toContain("only http: and https:");
  expect(refusal("nope")).toBe("the url cannot be read");
  expect(refusal("http://")).toBe("the url cannot be read");
  expect(refusal("http://a.example/\r\nX-Evil: 1")).toBe("the url holds blanks or control characters");
  expect(refusal("https://ana:hunter2@a.example/x")).toBeUndefined();
  expect(refusal("https://ana:hunter2@a.example/x", { urlLists: [[]] })).toBe(
    "https://a.example/x is not on the list allowedHttpHookUrls",
  );
});

test("an empty list allows nothing, no list restricts nothing, and every list must match", () => {
  const url = "https://a.example/x?token=hunter2";
  const refused = "https://a.example/x is not on the list allowedHttpHookUrls";
  expect(refusal(url)).toBeUndefined();
  expect(refusal(url, { urlLists: [[]] })).toBe(refused);
  expect(refusal(url, { urlLists: [["https://b.example/*", "https://a.example/*"]] })).toBeUndefined();
  expect(refusal(url, { urlLists: [["*"], ["https://a.example/*"]] })).toBeUndefined();
  expect(refusal(url, { urlLists: [["*"], ["*"], ["https://b.example/*"]] })).toBe(refused);
  expect(refusal(url, { urlLists: [["*"], []] })).toBe(refused);
});

test("private addresses are allowed always, never, or under patterns", () => {
  const allowed = (allowPrivate: boolean | string[]) =>
    admitUrl("http://127.0.0.1:8080/x", { urlLists: [], allowPrivate });
  const url = new URL("http://127.0.0.1:8080/x");
  expect(allowed(true)).toEqual({ url, allowPrivate: true });
  expect(allowed(false)).toEqual({ url, allowPrivate: false });
  expect(allowed(["http://localhost:8080/*"])).toEqual({ url, allowPrivate: false });
  expect(allowed(["http://127.0.0.1:*/*"])).toEqual({ url, allowPrivate: true });
});

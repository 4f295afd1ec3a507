import { expect, test } from "vitest";
import { wholeRequest } from "./whole.ts";

const head = "POST /v1/hook/k HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer t\r\nContent-Length: 2\r\n";
const read = (text: string) => wholeRequest(Buffer.from(text, "latin1"));

test("a plain request in one piece is read: method, path, headers by small names, body", () => {
  const found = read(`${head}X-Cwd: /a b\xe9\r\n\r\n{}`);
  expect(found).toMatchObject({ method: "POST", url: "/v1/hook/k" });
  expect({ ...found?.headers }).toEqual({
    host: "localhost",
    authorization: "Bearer t",
    "content-length": "2",
    "x-cwd": "/a b\xe9",
  });
  expect(found?.body.toString()).toBe("{}");
});

test.each([
  ["a head that is not whole", head],
  ["a body that is not whole", `${head}\r\n{`],
  ["more than the body", `${head}\r\n{}GET / HTTP/1.1\r\n\r\n`],
  ["two lengths", `${head}Content-Length: 2\r\n\r\n{}`],
  ["two names of the host", `${head}Host: evil.com\r\n\r\n{}`],
  ["a body in chunks", `${head}Transfer-Encoding: chunked\r\n\r\n{}`],
  ["a question before the body", `${head}Expect: 100-continue\r\n\r\n{}`],
  ["a folded header", `${head}X-Long: a\r\n b\r\n\r\n{}`],
  ["a blank before the colon", `${head}X-Long : a\r\n\r\n{}`],
  ["a lone line feed", `${head.replace("\r\nHost", "\nHost")}\r\n{}`],
  ["another version", `${head.replace("1.1", "1.0")}\r\n{}`],
  ["no request at all", "\x16\x03\x01\r\n\r\n"],
])("%s is left to the reader of HTTP", (_, text) => {
  expect(read(text)).toBeUndefined();
});

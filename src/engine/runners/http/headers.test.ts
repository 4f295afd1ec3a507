import { expect, test } from "vitest";
import { fillHeaders } from "./headers.ts";

const env = { TOK: "tokval", OTHER: "othval", CHAIN: "$TOK", EVIL: "a\r\nX-Evil: 1", NUL: "a\0b", ODD: "✓", EMPTY: "" };
const rules = { env, allowedByHook: Object.keys(env), allowedByPolicy: [] };

test("$VAR and ${VAR} are replaced in one pass; everything else stays", () => {
  const written = {
    authorization: "Bearer $TOK",
    "x-brace": "${TOK}-${OTHER}x$TOK",
    "x-plain": "a $5 ${bad-name} $",
    c: "$CHAIN",
  };
  expect(fillHeaders(written, rules)).toEqual({
    headers: [
      ["authorization", "Bearer tokval"],
      ["x-brace", "tokval-othvalxtokval"],
      ["x-plain", "a $5 ${bad-name} $"],
      ["c", "$TOK"],
    ],
    warnings: [],
  });
});

test("a variable that hook or policy does not list is empty, with a warning that holds no value", () => {
  const filled = fillHeaders(
    { X: "$TOK", Y: "a${OTHER}b" },
    { env, allowedByHook: ["OTHER"], allowedByPolicy: [["TOK"]] },
  );
  expect(filled).toEqual({
    headers: [
      ["X", ""],
      ["Y", "ab"],
    ],
    warnings: [
      {
        code: "header-variable",
        message: "Header X names the variable TOK, which the hook's allowedEnvVars does not list; it was left empty.",
        place: "headers.X",
      },
      {
        code: "header-variable",
        message: "Header Y names the variable OTHER, which httpHookAllowedEnvVars does not allow; it was left empty.",
        place: "headers.Y",
      },
    ],
  });
  expect(JSON.stringify(filled)).not.toContain("val");
});

test("an empty policy list allows no variable", () => {
  const filled = fillHeaders({ X: "$TOK" }, { ...rules, allowedByPolicy: [[]] });
  expect(filled).toMatchObject({ headers: [["X", ""]], warnings: [{ code: "header-variable" }] });
});

test("a variable that is not set, or is inherited, is empty with a warning", () => {
  const filled = fillHeaders({ X: "$NOPE$toString" }, { ...rules, allowedByHook: ["NOPE", "toString"] });
  expect(filled).toMatchObject({ headers: [["X", ""]] });
  expect(filled.warnings.map(({ message }) => message)).toEqual([
    "Header X names the variable NOPE, which is not set; it was left empty.",
    "Header X names the variable toString, which is not set; it was left empty.",
  ]);
  expect(fillHeaders({ X: "$EMPTY" }, rules)).toEqual({ headers: [["X", ""]], warnings: [] });
});

test.each(["$EVIL", "${NUL}", "a\rb", "a\nb", "$ODD", "\u0001"])("a header of %j refuses the request", (text) => {
  const filled = fillHeaders({ ok: "1", X: text }, rules);
  expect(filled).toEqual({ refused: expect.stringMatching(/^header X would hold /), warnings: [] });
  expect(JSON.stringify(filled)).not.toContain("Evil");
});

test.each(["", "a b", "a:b", "a\r\nb", "é"])("a header named %j refuses the request", (name) => {
  expect(fillHeaders({ [name]: "1" }, rules)).toEqual({
    refused: "a header has a name that cannot be sent",
    warnings: [],
  });
});

test("a hook cannot set headers that frame the request", () => {
  const filled = fillHeaders(
    { Host: "evil.com", "content-LENGTH": "0", "Transfer-Encoding": "chunked", "User-Agent": "x", Accept: "*/*" },
    rules,
  );
  expect(filled).toMatchObject({ headers: [["Accept", "*/*"]] });
  expect(filled.warnings.map(({ code, place }) => [code, place])).toEqual([
    ["header-ignored", "headers.Host"],
    ["header-ignored", "headers.content-LENGTH"],
    ["header-ignored", "headers.Transfer-Encoding"],
    ["header-ignored", "headers.User-Agent"],
  ]);
  expect(fillHeaders({ "Content-Type": "application/json; charset=utf-8" }, rules)).toEqual({
    headers: [],
    warnings: [],
  });
});

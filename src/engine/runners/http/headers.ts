import { validateHeaderName, validateHeaderValue } from "node:http";
import { attempt, succeeds, type Warning } from "../../../protocol/internal.ts";
import type { Environment } from "../../options.ts";
import { replaceVariables } from "../command/command-env.ts";

export interface HeaderRules {
  readonly env: Environment;
  /** The names that the hook lists. */
  readonly allowedByHook: readonly string[];
  /** The names must be on each of these lists too. */
  readonly allowedByPolicy: readonly (readonly string[])[];
}

export type HeaderList = readonly (readonly [name: string, value: string])[];

export type Headers =
  | { readonly headers: HeaderList; readonly warnings: readonly Warning[] }
  /** In words that never hold a value. */
  | { readonly refused: string; readonly warnings: readonly Warning[] };

/** The hook's own headers with variables replaced, as far as hook and policy let it read them. */
export function fillHeaders(written: Readonly<Record<string, string>>, rules: HeaderRules): Headers {
  const warnings: Warning[] = [];
  const headers: [string, string][] = [];
  for (const [name, text] of Object.entries(written)) {
    // Node's message repeats the value, so only the verdict is used.
    if (!succeeds(() => validateHeaderName(name)))
      return { refused: "a header has a name that cannot be sent", warnings };
    if (setByUs.has(name.toLowerCase())) {
      if (!isWhatWeSend(name, text)) warnings.push(ignored(name));
      continue;
    }
    const value = fillVariables(text, name, rules, warnings);
    if (/[\r\n\0]/.test(value)) {
      return { refused: `header ${name} would hold a line break or NUL; the request was not sent`, warnings };
    }
    if (!succeeds(() => validateHeaderValue(name, value)))
      return { refused: `header ${name} would hold characters that cannot be sent`, warnings };
    headers.push([name, value]);
  }
  return { headers, warnings };
}

/** User name and password of the URL as a header of their own, unless the hook signs in itself. */
export function withSignIn(headers: HeaderList, { username, password }: URL): HeaderList {
  if (username === "" && password === "") return headers;
  if (headers.some(([name]) => name.toLowerCase() === "authorization")) return headers;
  // A "%" that starts no escape is a plain character.
  const [name, secret] = [username, password].map((part) => attempt(() => decodeURIComponent(part)) ?? part);
  const bytes = Buffer.from(`${name}:${secret}`);
  return [...headers, ["authorization", `Basic ${bytes.toString("base64")}`]];
}

/** What frames the request or says who sends it is not the hook's to choose. */
const setByUs: ReadonlySet<string> = new Set(
  "accept-encoding connection content-encoding content-length content-type expect host keep-alive proxy-connection te trailer transfer-encoding upgrade user-agent".split(
    " ",
  ),
);

function isWhatWeSend(name: string, text: string): boolean {
  return name.toLowerCase() === "content-type" && /^application\/json(;.*)?$/i.test(text.trim());
}

function ignored(name: string): Warning {
  const message = `Header ${name} is set by Hookline itself; the hook's own value was left out.`;
  return { code: "header-ignored", message, place: `headers.${name}` };
}

function fillVariables(text: string, header: string, rules: HeaderRules, warnings: Warning[]): string {
  return replaceVariables(text, (name) => {
    const why = whyEmpty(name, rules);
    if (why === undefined) return rules.env[name] ?? "";
    const message = `Header ${header} names the variable ${name}, which ${why}; it was left empty.`;
    warnings.push({ code: "header-variable", message, place: `headers.${header}` });
    return "";
  });
}

function whyEmpty(name: string, { env, allowedByHook, allowedByPolicy }: HeaderRules): string | undefined {
  if (!allowedByHook.includes(name)) return "the hook's allowedEnvVars does not list";
  if (!allowedByPolicy.every((list) => list.includes(name))) return "httpHookAllowedEnvVars does not allow";
  return Object.hasOwn(env, name) && env[name] !== undefined ? undefined : "is not set";
}

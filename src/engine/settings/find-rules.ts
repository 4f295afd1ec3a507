import { isMisspelling, isObject } from "../../protocol/internal.ts";
import { isNote } from "./find-hooks.ts";

/** Permission rules in a place where none are read. */
interface MisplacedRules {
  /** The path of their list, or of the one rule. */
  readonly at: string;
  readonly rules: unknown;
}

/** The rules below a key, at any depth: under a key that means `deny` or `ask` there is something that looks like a rule. */
export function findRules(key: string, at: string, inside: unknown): readonly MisplacedRules[] {
  if (isNote(key)) return [];
  if (meansRestrictions(key) && [inside].flat(Number.POSITIVE_INFINITY).some(isLikeRule))
    return [{ at, rules: inside }];
  if (Array.isArray(inside)) return inside.flatMap((item, index) => findRules("", `${at}[${index}]`, item));
  return isObject(inside)
    ? Object.entries(inside).flatMap(([name, item]) => findRules(name, `${at}.${name}`, item))
    : [];
}

/** Contract: the names that `src/permissions/rule-layer.ts` takes for rules that cannot be read. */
function meansRestrictions(key: string): boolean {
  const name = key.slice(key.lastIndexOf(".") + 1);
  return restrictingNames.some((known) => isMisspelling(name, known));
}

const restrictingNames = ["deny", "ask", "denied", "denies", "disallow", "disallowed"];

function isLikeRule(value: unknown): boolean {
  return typeof value === "string" && rules.some((rule) => rule.test(value.trim()));
}

const tools =
  "(?:Agent|Bash|Glob|Grep|LS|PowerShell|Read|Skill|Write|(?:Multi|Notebook)?Edit|Task|(?:Ask|Kill|Notebook|Slash|Task|Todo|Web)[A-Z]\\w+)";

/** A tool, or in any letter case a tool with a spec: `read`, and `Read: a text`, may be anything. */
const rules = [new RegExp(`^(?:mcp__.|${tools}$)`), new RegExp(`^${tools}(?:\\(|:\\S)`, "i")];

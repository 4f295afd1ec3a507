/** A parsed rule: a tool and its spec, with escapes not yet removed. */
export interface WrittenRule {
  readonly text: string;
  readonly tool: string;
  /** Absent for `Tool`, `Tool()` and `Tool(*)`. */
  readonly spec?: string;
}

export interface Invalid {
  readonly invalid: string;
  /** The name of the tool, if it is readable. */
  readonly tool?: string;
  /** An allow rule that would allow too much. */
  readonly tooWide?: true;
}

const maxRuleLength = 4_096;

/** The end of a rule and the beginning of another: `rm *), Bash(ls`. */
const secondRule = /\)[\s,|]+(?:Bash|Read|Edit|Write|Grep|Glob|WebFetch|Agent|Task|Skill|PowerShell)\(/;

/** Parses `Tool` or `Tool(spec)`. Does not interpret the spec. */
export function parseRule(written: unknown): WrittenRule | Invalid {
  if (typeof written !== "string") return { invalid: "a rule must be a string" };
  const text = written.trim();
  const tool = /^[\p{L}\p{N}_*.:@/-]{1,200}(?=$|[\s(|,[{])/u.exec(text)?.[0];
  const fault = (invalid: string): Invalid => (tool === undefined ? { invalid } : { invalid, tool });
  if (text === "") return fault("the rule is empty");
  if (text.length > maxRuleLength) return fault(`the rule has more than ${maxRuleLength} characters`);
  if (/[\u0000-\u001f\u007f-\u009f]/.test(text)) return fault("the rule holds a control character");
  const open = text.indexOf("(");
  const name = open < 0 ? text : text.slice(0, open);
  if (!/^[\p{L}\p{N}_*.:@/-]+$/u.test(name)) return fault(`"${name}" is not a tool name`);
  if (open < 0) return { text, tool: name };
  if (!text.endsWith(")") || isEscaped(text, text.length - 1)) return fault('the rule does not end with ")"');
  const spec = text.slice(open + 1, -1).trim();
  if (secondRule.test(spec)) return fault("it holds more than one rule; write each as a separate string");
  return spec === "" || spec === "*" ? { text, tool: name } : { text, tool: name, spec };
}

export function isInvalid<T extends object>(value: T | Invalid): value is Invalid {
  return "invalid" in value;
}

function isEscaped(text: string, index: number): boolean {
  let slashes = 0;
  while (text[index - 1 - slashes] === "\\") slashes += 1;
  return slashes % 2 === 1;
}

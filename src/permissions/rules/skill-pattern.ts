import { type CommandPattern, compileCommand, covers } from "./spec-patterns.ts";

type Input = Readonly<Record<string, unknown>>;

/** What a rule on skills covers. */
export interface SkillPattern {
  /** In allow: the name and the arguments as written. */
  readonly written: CommandPattern;
  /** In deny and ask, as the client does it: `deploy *` and `deploy:*` are every name that begins so. */
  readonly wide: CommandPattern;
  /** The same without the plugin's name: `deploy` starts `plugin:deploy` too. */
  readonly short: CommandPattern;
}

export function compileSkill(spec: string): SkillPattern {
  const name = spec.replace(/^\/+/, "");
  const wide = name.replace(/[: ]\*$/, "*");
  return {
    written: compileCommand(name),
    wide: compileCommand(wide),
    short: compileCommand(wide.replace(pluginName, "")),
  };
}

const pluginName = /^[^\s:]+:(?=[^*])/;

/** Whether a call may start a skill that a deny or ask rule means: its name alone covers every use of it. */
export function couldStartSkill({ wide, short }: SkillPattern, input: Input): boolean {
  const name = skillName(input);
  return [name, skillText(input)].some(
    (text) =>
      covers(wide, text) || covers(wide, text.replace(pluginName, "")) || (!name.includes(":") && covers(short, text)),
  );
}

/** The name of the skill that a call starts, and its arguments. */
export function skillText(input: Input): string {
  const args = input["args"] ?? input["arguments"];
  return typeof args === "string" && args !== "" ? `${skillName(input)} ${args}` : skillName(input);
}

/** A slash before the name and blanks around it do not count. */
function skillName(input: Input): string {
  const name = input["skill"] ?? input["name"] ?? input["command"];
  return typeof name === "string" ? name.trim().replace(/^\/+/, "") : "";
}

import { type CommandPattern, covers } from "../rules/spec-patterns.ts";

/** Whether a pattern is written over several commands, such as `curl * | bash`: no part of a command is like it. */
export function joinsCommands({ forms }: CommandPattern): boolean {
  return forms.some((form) => form.some((piece) => /[|&;]/.test(piece)));
}

/** Whether such a pattern covers a text as a whole or one of its pipelines, whatever blanks stand around the operators. */
export function coversWhole(text: string): (pattern: CommandPattern) => boolean {
  const spellings = spellingsOf(text);
  return (pattern) => spellings.some((spelling) => covers(pattern, spelling));
}

function spellingsOf(text: string): readonly string[] {
  const pipelines = text.split(/&&|\|\||[;\n]/);
  const texts = new Set(
    [text, ...(pipelines.length > 1 ? pipelines : [])].map((one) => one.replace(/\s+/g, " ").trim()),
  );
  return [...texts].flatMap((one) => {
    const tight = one.replace(/ ?(&&|\|\||\|&|[|;&]) ?/g, "$1");
    const spaced = tight.replace(/&&|\|\||\|&|[|;&]/g, " $& ").trim();
    return [...new Set([one, tight, spaced, spaced.replaceAll(" ;", ";")])];
  });
}

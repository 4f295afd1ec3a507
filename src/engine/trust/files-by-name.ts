import type { Checkout } from "./coverage/checkout-files.ts";
import type { NamedCommand } from "./coverage/coverage.ts";
import { readShellText, type TextWord } from "./coverage/shell-text.ts";
import { isPattern, TooMany, unknown, valuesOf } from "./coverage/word-values.ts";

const mostPaths = 2_000;

/** Paths that the words of a command may mean, inside a folder or not. Undefined: more than can be looked at. */
export function namedPaths(
  { command, args, root }: NamedCommand,
  { real, home }: Checkout,
): readonly string[] | undefined {
  const known = {
    CLAUDE_PROJECT_DIR: real,
    PWD: real,
    HOME: home,
    ...(root === undefined ? {} : { CLAUDE_PLUGIN_ROOT: root }),
  };
  const context = {
    variables: new Map(Object.entries(known).map(([name, value]) => [name, [value]])),
    home,
    printed: () => undefined,
  };
  const texts = args === undefined ? [command] : [command, ...args];
  const paths = new Set<string>();
  try {
    for (const word of texts.flatMap((text) => wordsIn(text, args !== undefined)))
      for (const value of valuesOf(word, context))
        for (const path of [value, ...value.split(/[=,:@]/)])
          if (path !== "" && !path.includes("\0") && !path.includes(unknown) && !isPattern(path)) paths.add(path);
  } catch (error) {
    if (error instanceof TooMany) return undefined;
    throw error;
  }
  return paths.size > mostPaths ? undefined : [...paths];
}

const deepest = 3;

/** The words of a text, and of texts inside its words. */
function wordsIn(text: string, isOneWord: boolean, depth = 0): readonly TextWord[] {
  const { commands, scripts } = readShellText(text);
  const words = commands.flatMap(({ words, reads }) => [...words, ...reads]);
  const inner = depth >= deepest ? [] : [...scripts, ...words.flatMap(quotedTexts)];
  const whole: TextWord[] = isOneWord ? [{ raw: text, pieces: [{ kind: "text", text, quoted: true }] }] : [];
  return [...whole, ...words, ...inner.flatMap((one) => wordsIn(one, false, depth + 1))];
}

function quotedTexts({ pieces }: TextWord): readonly string[] {
  return pieces.flatMap((piece) =>
    piece.kind === "text" && piece.quoted && /\s/.test(piece.text) ? [piece.text] : [],
  );
}

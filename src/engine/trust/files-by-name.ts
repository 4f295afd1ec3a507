import { basename } from "node:path";
import { hooksFileIn } from "../../protocol/internal.ts";
import type { Coverage, NamedCommand } from "./coverage/coverage.ts";
import { type Checkout, Gathering, type NamedFile, Unusable } from "./coverage/gather-files.ts";
import { moduleFiles } from "./coverage/javascript.ts";
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

/** The hooks files of the checkout that a command is about when it calls an app, as paths; none for every other command. */
export function hooksFilesOf({ command, args }: NamedCommand, { places }: Coverage): readonly string[] {
  const name = hooksFileIn(args === undefined ? plainWords(command) : [command, ...args]);
  return name === undefined ? [] : [...places.keys()].filter((place) => basename(place) === basename(name));
}

function plainWords(text: string): readonly string[] {
  return readShellText(text).commands.flatMap(({ words }) =>
    words.map(({ pieces }) => pieces.map((piece) => (piece.kind === "text" ? piece.text : "")).join("")),
  );
}

/**
 * Files of the checkout as they are now, with whatever could be found in their place under the same name, since a file that is added
 * can change what an import means without changing any file that was approved.
 */
export function importedFiles(
  paths: readonly string[],
  checkout: Checkout,
  onBytes?: (path: string, bytes: Buffer) => void,
): readonly NamedFile[] | { readonly unusable: string } {
  const gathering = new Gathering(checkout, checkout.real, onBytes);
  try {
    for (const path of paths) for (const file of moduleFiles(path)) gathering.cover(file);
  } catch (error) {
    if (error instanceof TooMany || error instanceof Unusable) return { unusable: error.message };
    throw error;
  }
  return [...gathering.files.values()];
}

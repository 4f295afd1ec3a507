import { basename, resolve } from "node:path";
import { hooksFileOfCommand } from "../../protocol/internal.ts";
import type { ConfiguredHook } from "../settings/layer.ts";
import type { Coverage, NamedCommand } from "./coverage/coverage.ts";
import { type Checkout, CoverageCollector, type OnBytes } from "./coverage/gather-files.ts";
import { isFile, moduleFiles } from "./coverage/javascript.ts";
import { literalText, readShellText } from "./coverage/shell-text.ts";
import type { TextWord } from "./coverage/shell-words.ts";
import { holdsPatternSign, initialVariables, NotApprovable, unknown, valuesOf } from "./coverage/word-values.ts";

/** The files that command hooks name, inside the folder or not, as absolute paths. */
export function filesOfHooks(
  hooks: readonly ConfiguredHook[],
  { cwd, home }: { readonly cwd: string; readonly home: string },
): readonly string[] {
  const paths = hooks.flatMap(({ hook, layer }) => {
    if (hook.type !== "command") return [];
    const { command, args } = hook;
    return namedPaths({ command, args, root: layer.plugin?.root }, cwd, home).map((path) => resolve(cwd, path));
  });
  return [...new Set(paths)].filter(isFile);
}

const maxPaths = 2_000;

/** Paths that the arguments of a command may mean; none when there are too many. */
function namedPaths({ command, args, root }: NamedCommand, cwd: string, home: string): readonly string[] {
  const context = { variables: initialVariables(cwd, home, root), folders: [cwd], home, printed: () => undefined };
  const texts = args === undefined ? [command] : [command, ...args];
  const paths = new Set<string>();
  try {
    for (const word of texts.flatMap((text) => wordsIn(text, args !== undefined)))
      for (const value of valuesOf(word, context))
        for (const path of [value, ...value.split(/[=,:@]/)])
          if (path !== "" && !path.includes("\0") && !path.includes(unknown) && !holdsPatternSign(path))
            paths.add(path);
  } catch (error) {
    if (error instanceof NotApprovable) return [];
    throw error;
  }
  return paths.size > maxPaths ? [] : [...paths];
}

const maxDepth = 3;

/** The words of a text, and of texts inside its words. */
function wordsIn(text: string, isOneWord: boolean, depth = 0): readonly TextWord[] {
  const { commands, scripts } = readShellText(text);
  const words = commands.flatMap(({ words, reads }) => [...words, ...reads]);
  const inner = depth >= maxDepth ? [] : [...scripts, ...words.flatMap(quotedTexts)];
  const whole: TextWord[] = isOneWord ? [{ raw: text, pieces: [{ kind: "text", text, quoted: true }] }] : [];
  return [...whole, ...words, ...inner.flatMap((one) => wordsIn(one, false, depth + 1))];
}

function quotedTexts({ pieces }: TextWord): readonly string[] {
  return pieces.flatMap((piece) =>
    piece.kind === "text" && piece.quoted && /\s/.test(piece.text) ? [piece.text] : [],
  );
}

/** The hooks files of the checkout that a command runs as an app; empty for every other command. */
export function hooksFilesOf({ command, args }: NamedCommand, { places }: Coverage): readonly string[] {
  const inText = () => readShellText(command).commands.flatMap(({ words }) => words.map(literalText));
  const name = hooksFileOfCommand(args === undefined ? inText() : [command, ...args]);
  return name === undefined ? [] : [...places.keys()].filter((place) => basename(place) === basename(name));
}

/**
 * The current content of files of the checkout and of every file that a loader would try for the same name: an added file
 * can change what an import resolves to without changing any approved file.
 */
export function importedFiles(paths: readonly string[], checkout: Checkout, onBytes?: OnBytes) {
  const collector = new CoverageCollector(checkout, checkout.real, onBytes);
  try {
    for (const path of paths) for (const file of moduleFiles(path)) collector.cover(file);
  } catch (error) {
    if (error instanceof NotApprovable) return { unusable: error.message };
    throw error;
  }
  return [...collector.files.values()];
}

import { basename } from "node:path";
import { hooksFileIn } from "../../protocol/index.ts";
import type { Checkout } from "./coverage/checkout-files.ts";
import type { Coverage, NamedCommand } from "./coverage/coverage.ts";
import { Gathering, type NamedFile, Unusable } from "./coverage/gather-files.ts";
import { moduleFiles } from "./coverage/javascript.ts";
import { readShellText } from "./coverage/shell-text.ts";
import { TooMany } from "./coverage/word-values.ts";

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

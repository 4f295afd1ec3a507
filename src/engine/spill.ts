import { FileProblem, type Fs, nodeFs, unless, writePrivate } from "../files/index.ts";
import { messageOf, type Warning } from "../protocol/index.ts";
import { beginning, cut, mostContextChars } from "./display.ts";

/** What stands in the place of a text that was put into a file. */
const previewChars = 2_000;

/**
 * A text that is short enough to be passed on: itself, or its beginning and the path of the file that holds all of it.
 * Contract: never rejects; a text that cannot be written is cut, with a warning.
 */
export async function spill(
  text: string,
  folder: string,
  fs: Fs = nodeFs,
): Promise<{ readonly text: string; readonly warning?: Warning }> {
  if (text.length <= mostContextChars) return { text };
  try {
    await refuseLink(folder, fs);
    const path = await writePrivate(folder, text, { fs, prefix: "hook-", suffix: ".txt" });
    return {
      text: `${beginning(text, previewChars)}\n[cut: ${text.length} characters in all; the whole text is in ${path}]`,
    };
  } catch (error) {
    const why = messageOf(error);
    const message = `A text of ${text.length} characters could not be written to ${folder} and was cut: ${why}`;
    return { text: cut(text, mostContextChars), warning: { code: "spill-failed", message, place: folder } };
  }
}

/** Whoever could plant a link for the folder would be given the texts. */
async function refuseLink(folder: string, fs: Fs): Promise<void> {
  const stat = await unless(["ENOENT"], fs.lstat(folder));
  if (!stat?.isSymbolicLink()) return;
  throw new FileProblem("file/not-ours", `${folder} is a link. Remove it, and a folder is made in its place.`, {
    about: { path: folder },
  });
}

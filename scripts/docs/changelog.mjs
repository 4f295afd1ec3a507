import { entryPoints } from "../build/entry-points.mjs";
import { codes } from "./markdown.mjs";

/** The changelog with the names that each entry point exports, in its section of the newest version. */
export function withNames(changelog, namesByEntryPoint) {
  return Object.entries(namesByEntryPoint).reduce((text, [entryPoint, names]) => {
    const heading = `### \`${entryPoint}\`\n\n`;
    const paragraph = wrapped(`Exports ${codes([...names].sort())}.`);
    const at = text.indexOf(heading);
    if (at < 0) return `${text.trimEnd()}\n\n${heading}${paragraph}\n`;
    const rest = text.slice(at + heading.length).replace(/^Exports [^#]*?\.(?:\n+|$)/, "");
    return `${text.slice(0, at)}${heading}${paragraph}\n${rest === "" ? "" : `\n${rest}`}`;
  }, changelog);
}

const width = 140;

function wrapped(text) {
  return text.split(" ").reduce((lines, word) => {
    const last = lines.slice(lines.lastIndexOf("\n") + 1);
    return `${lines}${last.length + 1 + word.length > width ? "\n" : " "}${word}`;
  });
}

/** The values that each entry point exports; `load(path)` imports a module below `src/`, without its ending. */
export async function exportedNames(load) {
  const names = entryPoints.map(async ({ name, path }) => [name, Object.keys(await load(path))]);
  return Object.fromEntries(await Promise.all(names));
}

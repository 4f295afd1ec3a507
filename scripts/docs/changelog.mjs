import { entryPoints } from "../build/entry-points.mjs";
import { codes } from "./markdown.mjs";

/** The changelog with every name that a door exports: those it does not mention yet are added to the door's section of the newest version. */
export function withNames(changelog, doors) {
  return Object.entries(doors).reduce((text, [door, names]) => {
    const heading = `### \`${door}\``;
    const unnamed = names.filter((name) => !new RegExp(`\`${name}\``).test(text));
    return unnamed.length === 0 ? text : addLine(text, heading, `- ${codes(unnamed)}`);
  }, changelog);
}

function addLine(text, heading, line) {
  const newest = text.indexOf("\n## ");
  const older = text.indexOf("\n## ", newest + 1);
  const end = older < 0 ? text.length : older;
  const at = text.slice(0, end).indexOf(`\n${heading}\n`, newest);
  if (at < 0) return `${text.slice(0, end).trimEnd()}\n\n${heading}\n\n${line}\n${text.slice(end)}`;
  const next = text.indexOf("\n#", at + 1);
  const sectionEnd = next < 0 ? text.length : next;
  const rest = text.slice(sectionEnd);
  return `${text.slice(0, sectionEnd).trimEnd()}\n${line}\n${rest}`;
}

/** The values that each entry point exports; `load(path)` imports a module below `src/`, without its ending. */
export async function exportedNames(load) {
  const names = entryPoints.map(async ({ name, path }) => [name, Object.keys(await load(path))]);
  return Object.fromEntries(await Promise.all(names));
}

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

/** What each exported door exports; `load(path)` imports a module below `src/`, without its ending. */
export async function exportedNames(exports, load) {
  const doors = Object.entries(exports).flatMap(([key, file]) => {
    const path = /dist\/(.+\/index)\.js$/.exec(file)?.[1];
    return path === undefined ? [] : [[key.replace(/^\./, "hookline"), path]];
  });
  return Object.fromEntries(
    await Promise.all(doors.map(async ([door, path]) => [door, Object.keys(await load(path))])),
  );
}

import { printed } from "./markdown.mjs";

/** docs/cli.md: the help text of every command. `help(names)` returns the text of `hookline NAMES --help`. */
export async function cliPage(help) {
  const program = await help([]);
  const sections = [];
  for (const name of namesIn(program)) sections.push(...(await commandSections([name], help)));
  return `${printed}

# The command line

This page shows what \`hookline COMMAND --help\` prints. Commands that print data support \`--json\`. Colors and progress are for a terminal
only, and \`NO_COLOR\` turns colors off. Invalid arguments and failures exit with status 1 and a message on stderr.

${block(program)}

${sections.join("\n\n")}`;
}

/** The section of a command, then those of its verbs. */
async function commandSections(names, help) {
  const text = await help(names);
  const own = `## hookline ${names.join(" ")}\n\n${block(text)}`;
  const below = [];
  const [, verbs = ""] = /^Verbs\n((?: {2}\S.*\n)*)/m.exec(text) ?? [];
  for (const name of namesIn(verbs)) below.push(...(await commandSections([...names, name], help)));
  return [own, ...below];
}

/** The first word of every indented line. */
function namesIn(list) {
  return list.match(/(?<=^ {2})\S+/gm) ?? [];
}

function block(text) {
  return `\`\`\`text\n${text.trimEnd()}\n\`\`\``;
}

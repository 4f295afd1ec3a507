import { printed } from "./markdown.mjs";

/** docs/cli.md: what `--help` says, command by command. `help(words)` gives the text for `hookline WORDS --help`. */
export async function cliPage(help) {
  const program = await help([]);
  const sections = [];
  for (const name of commandsIn(program)) sections.push(...(await commandSections([name], help)));
  return `${printed}

# The command line

This page is what \`hookline COMMAND --help\` prints. Every command takes \`--json\` where it prints data. Colours and progress are for a
terminal only, and \`NO_COLOR\` switches colours off. A call that cannot be made ends with status 1 and a message on stderr.

${block(program)}

${sections.join("\n\n")}`;
}

/** A command, then the commands below it if it has any. */
async function commandSections(words, help) {
  const text = await help(words);
  const own = `## hookline ${words.join(" ")}\n\n${block(text)}`;
  const below = [];
  for (const name of commandsIn(text)) below.push(...(await commandSections([...words, name], help)));
  return [own, ...below];
}

/** The names in the list that a help text has under "Commands". */
function commandsIn(text) {
  const [, list = ""] = /^(?:Commands|Verbs)\n((?: {2}\S.*\n)*)/m.exec(text) ?? [];
  return list.split("\n").flatMap((line) => /^ {2}(\S+)/.exec(line)?.[1] ?? []);
}

function block(text) {
  return `\`\`\`text\n${text.trimEnd()}\n\`\`\``;
}

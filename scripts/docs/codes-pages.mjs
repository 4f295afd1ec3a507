import { code, printed, table } from "./markdown.mjs";

/** docs/warnings.md: every warning with its meaning. */
export function warningsPage({ warningCodes, ruleWarningCodes, findingCodes, installFindingCodes }) {
  return `${printed}

# Warnings

A warning does not stop the operation. It has a stable \`code\`, a \`message\` that says what is wrong, where and what to do, and often a \`place\`.
Warnings from loading settings are in \`engine.warnings\`; those of an event are in its outcome. \`hookline fire\` prints both.
In a program, \`warningCodes\` of \`hookline/protocol\` has the codes of the first table with their meaning: \`warningCodes["hook-invalid"]\`.

## From settings, hooks and events

${codeTable(warningCodes)}

## From permission rules

They are in the judgment that \`judge\` returns. \`hookline check\` prints them.

${codeTable(ruleWarningCodes)}

## From hookline doctor

\`hookline doctor\` prints the warnings from settings and permission rules, and these findings. With errors or warnings it exits with 3; a note
means that nothing is wrong. \`hookline doctor --json\` has the level and the code of each.

About the hooks in effect:

${findingTable(findingCodes)}

About installed apps:

${findingTable(installFindingCodes)}`;
}

/** docs/problems.md: every code that can be thrown. */
export function problemsPage({ problemCodes }) {
  const areas = new Set(Object.keys(problemCodes).map(areaOf));
  return `${printed}

# Problems

Hookline's functions throw only on incorrect use, and they throw one class: \`Problem\`, with a stable \`code\`, a human-readable \`message\` and details in
\`about\`. An argument that TypeScript rejects, such as a number in place of a list, may cause a \`TypeError\` instead. A failing hook is reported in its run record, and an invalid file as a [warning](warnings.md). On the command line a problem is a message
on stderr and exit code 1. \`problemCodes\` of \`hookline/protocol\` has every code with its meaning.

\`\`\`js
import { openEngine } from "hookline";
import { Problem } from "hookline/protocol";

const engine = await openEngine();
try {
  await engine.fire("PreTool", {});
} catch (error) {
  if (!(error instanceof Problem)) throw error;
  console.log(error.code);
  console.log(error.message);
}
await engine.close();
\`\`\`

\`\`\`text
event/unknown
"PreTool" is not an event. Did you mean "PreToolUse"?
\`\`\`

${[...areas].map((area) => `## ${area}\n\n${codeTable(ofArea(problemCodes, area))}`).join("\n\n")}`;
}

function codeTable(words) {
  return table(
    ["code", "meaning"],
    Object.entries(words).map(([name, meaning]) => [code(name), meaning]),
  );
}

function findingTable(codes) {
  return table(
    ["code", "level", "meaning"],
    Object.entries(codes).map(([name, { level, meaning }]) => [code(name), level, meaning]),
  );
}

function ofArea(words, area) {
  return Object.fromEntries(Object.entries(words).filter(([name]) => areaOf(name) === area));
}

function areaOf(name) {
  return name.split("/")[0];
}

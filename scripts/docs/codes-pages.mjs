import { code, printed, table } from "./markdown.mjs";

/** docs/warnings.md: every warning with what it tells. */
export function warningsPage({ warningCodes, ruleWarningCodes }) {
  return `${printed}

# Warnings

A warning stops nothing. It has a \`code\` that stays, a \`message\` that names the thing, the place and the way out, and often a
\`place\`. Warnings of loading are in \`engine.warnings\`; those of an event are in its outcome. \`hookline fire\` prints both.

## From settings, hooks and events

${codeTable(warningCodes)}

## From permission rules

In the judgement that \`judge\` gives; \`hookline check\` prints them.

${codeTable(ruleWarningCodes)}`;
}

/** docs/problems.md: every code that can be thrown. */
export function problemsPage({ problemCodes }) {
  const areas = new Set(Object.keys(problemCodes).map(areaOf));
  return `${printed}

# Problems

Only a wrong call throws, and it throws one class: \`Problem\`, with a \`code\` that stays, a \`message\` for people and the facts in
\`about\`. What a hook does wrong is in its record; what a file does wrong is a [warning](warnings.md). On the command line a problem
is a message on stderr and exit status 1.

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
    ["code", "tells"],
    Object.entries(words).map(([name, tells]) => [code(name), tells]),
  );
}

function ofArea(words, area) {
  return Object.fromEntries(Object.entries(words).filter(([name]) => areaOf(name) === area));
}

function areaOf(name) {
  return name.split("/")[0];
}

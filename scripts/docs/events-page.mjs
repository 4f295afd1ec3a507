import { fieldWords } from "./field-words.mjs";
import { code, codes, printed, table } from "./markdown.mjs";

/** docs/events.md: the catalog, event by event. */
export function eventsPage({ catalog, commonFields }) {
  const rows = Object.values(catalog);
  return [
    printed,
    "# Events",
    `Hookline knows ${rows.length} events. Each has one row in the catalog, which defines what the engine does. This page shows the rows.\nUnless a table says otherwise, the host waits for its hooks, a hook has the time limit of its type, and all handlers of an app together have 30 seconds.`,
    inProgram,
    "## All events",
    table(
      ["event", "matcher", "a hook can block", "fires"],
      rows.map((row) => [link(row.name), matcher(row), row.blocks ? "yes" : "no", row.fires]),
    ),
    "## Fields of every payload",
    "The engine sends one JSON object: these fields, then the event's own. A field marked ? is optional. Fields that the host adds are passed on unchanged.",
    fieldTable(commonFields),
    "`dist/schema.json` in the package contains a JSON Schema of the input and output of each event's hooks, under `$defs`: `PreToolUse.input`, `PreToolUse.output`.",
    "`permission_mode`, `effort`, and the pair `agent_id` and `agent_type` are sent only with the events that list them below.",
    "## Answers to every event",
    table(["field", "effect"], universal),
    ...Object.entries(phases).flatMap(([phase, title]) => [
      `## ${title}`,
      ...rows.filter((row) => row.phase === phase).map(eventSection),
    ]),
    "## Answers",
    "Keys of `hookSpecificOutput`. Each has an effect only on the events that list it.",
    table(
      ["answer", "effect"],
      Object.entries(answerWords).map(([name, words]) => [code(name), words]),
    ),
  ].join("\n\n");
}

const inProgram = `In a program, \`catalog\` of \`hookline/protocol\` has the rows, \`eventNames\` the names, and \`isEventName\` checks a name:

\`\`\`js
import { catalog, eventNames, isEventName } from "hookline/protocol";

const name = "PreTool";
console.log(isEventName(name), eventNames.filter((known) => known.startsWith(name)));
console.log(catalog.PreToolUse.matchesOn);
\`\`\`

\`\`\`text
false [ 'PreToolUse' ]
{ field: 'tool_name' }
\`\`\``;

const phases = {
  session: "Session",
  prompt: "Prompt and display",
  tool: "Tool calls",
  turn: "End of a turn",
  agent: "Subagents, teammates, tasks",
  context: "Context and model",
  settings: "Settings, files, directories",
  mcp: "MCP questions and notices",
};

const universal = [
  [
    "`continue: false`, `stopReason`",
    "stops the run; the events below say what stops. On other events it is dropped with the warning `continue-ignored`",
  ],
  ["`systemMessage`", "a text for the user"],
  ["`suppressOutput`", "kept in the run record, no other effect"],
  ["`terminalSequence`", "a title, notification or bell for the terminal; anything else is dropped"],
  ['`decision: "block"`, `reason`', "denies on the events that list it below"],
  ['`decision: "approve"`', "allows where `allow` is among the verdicts; no effect elsewhere"],
  ["`hookSpecificOutput`", "the event's own answers; its `hookEventName` must be the event's name"],
  ["`async: true`, `asyncTimeout`", "as the first line of a command hook: the hook continues in the background"],
];

const answerWords = {
  additionalContext: "a text for the model",
  permissionDecision: "the verdict; `permissionDecisionReason` is the reason",
  updatedInput: "the complete tool input to use instead",
  decision:
    '`{ "behavior": "allow", updatedInput?, updatedPermissions? }` or `{ "behavior": "deny", message?, interrupt? }`, instead of the user',
  updatedToolOutput: "what the model sees instead of the tool's output",
  updatedMCPToolOutput: "the older name of `updatedToolOutput`, for MCP tools",
  classifierContext: "a text for the host's classifier",
  initialUserMessage: "starts a first turn with this message",
  sessionTitle: "the session's title",
  watchPaths: "absolute paths to watch for `FileChanged`",
  reloadSkills: "the host reads its skills again",
  suppressOriginalPrompt: "the blocked prompt is not shown to the user again",
  displayContent: "what is shown instead of the text; the stored message is unchanged",
  retry: "the model may try again",
  worktreePath: "the directory that was created; command hooks print it instead",
  action: "`accept`, `decline` or `cancel`",
  content: "the values that go with `accept`",
};

function eventSection(row) {
  return [
    `### ${row.name}`,
    `Fires: ${row.fires}.${row.since === "declared" ? " Declared by newer versions of Claude Code; not measured." : ""}`,
    table(["", ""], facts(row)),
    Object.keys(row.fields).length === 0 ? "It has no fields of its own." : fieldTable(row.fields),
  ].join("\n\n");
}

/** Defaults are omitted: the host waits, a type has its own limit, an answer that is not listed has no effect. */
function facts(row) {
  const facts = [
    ["matcher is compared with", matcher(row)],
    ["text at exit 0", texts[row.onText ?? "none"]],
    ["exit 2", exit2(row)],
    ["other exit codes", others[row.onOther ?? "none"]],
    ["a hook that fails", failures(row)],
    ["verdicts", codes(row.decisions)],
    ['`decision: "block"`', row.blockWord ? "denies" : ""],
    ["answers", codes(row.answers.map(known))],
    ["`continue: false`", stops[row.onStop]],
    ["hook types", codes(row.types)],
    ["time limit", limit(row)],
    [
      "the host",
      row.awaited === true ? "" : `continues at once${row.awaited ? "; hooks may run longer than the host" : ""}`,
    ],
    ["also has", codes(row.carries.flatMap((name) => (name === "agent" ? ["agent_id", "agent_type"] : [name])))],
    ...specials(row),
    ["in an app", `${code(row.app.method)}${row.app.deadlineMs ? `, at most ${row.app.deadlineMs / 1_000} s` : ""}`],
    ["answers of its handlers", codes([...row.app.answers, "systemMessage", "raw"])],
  ];
  return facts.filter(([, says]) => says !== "");
}

function exit2({ onBlock, blocks }) {
  if (onBlock === null) return "no decision; stderr is shown to the user";
  if (blocks && (onBlock === "goOn" || onBlock === "fail")) return blocks;
  return `${blocked[onBlock]}${blocks ? `: ${blocks}` : ""}`;
}

function fieldTable(fields) {
  return table(
    ["field", "type"],
    Object.entries(fields).map(([name, field]) => [`${code(name)}${field.optional ? " ?" : ""}`, fieldWords(field)]),
  );
}

function matcher({ matchesOn }) {
  if (matchesOn === null) return "nothing";
  return `${matchesOn.part === "basename" ? "the base name of " : ""}${code(matchesOn.field)}${matchesOn.narrow ? " (narrow)" : ""}`;
}

const texts = {
  context: "a text for the model",
  instructions: "instructions, after the user's own",
  message: "a text for the user",
  path: "the path: the last line that is not empty",
  none: "kept in the run record",
};

const blocked = {
  refuse: "denies",
  feedback: "denies; the action has already happened, and the model gets the reason",
  stop: "ends the loop",
  decline: "declines",
};

const others = { report: "a failed hook", fail: "the operation fails", none: "kept in the run record" };

function failures({ onFailure, special }) {
  const late = special.timeoutDenies ? "; a hook that times out denies" : "";
  if (onFailure === "fail") return "always denies";
  return `${onFailure === "guard" ? 'the operation continues; with `onFailure: "block"` it is denied' : "the operation continues, whatever `onFailure` is"}${late}`;
}

const stops = {
  ignore: "",
  stop: "the run stops",
  refuse: "denies",
  "after-tool":
    "the tool still runs, and the loop stops after it. With a denial the loop stops too. Dropped together with a question in a non-interactive run",
  "end-turn": "the turn ends, whatever other hooks return",
};

function limit({ timeoutMs, special }) {
  const { budget } = special;
  if (budget !== undefined) {
    return `${budget.ms / 1000} s for all hooks together; a hook's own \`timeout\` raises it to ${budget.mostMs / 1000} s at most, \`${budget.variable}\` replaces it`;
  }
  return timeoutMs === null ? "" : `${timeoutMs / 1000} s`;
}

/** Special rules of a few events. */
function specials({ special }) {
  const notes = [
    special.onTool && "`if` conditions apply; `tool_name` and `tool_input` are required",
    special.endsTurn && "context makes the agent continue too; consecutive continuations are counted and limited",
    special.envFile && "command hooks get `CLAUDE_ENV_FILE`",
    special.exit2HidesAnswers && "with exit code 2 the answers are not read",
    special.answersPath && "the path must be an existing directory, without `..` and without links below the project",
    special.insideAgent &&
      `in the frontmatter of a subagent it means \`${special.insideAgent}\`, and also this event in a session that was started as that agent`,
    ...Object.keys(special.honouredWhen ?? {}).map((name) => `${code(name)} has an effect only ${onlyWhen[name]}`),
    special.blocksWhen && "a change of managed policy (`source` is `policy_settings`) cannot be blocked",
    special.messageIsContext && "when `source` is `slash_command`, `systemMessage` is a text for the model",
  ].filter(Boolean);
  return notes.map((note) => ["note", note]);
}

/** The payloads for which an answer has an effect. */
const onlyWhen = {
  sessionTitle: "when `source` is `startup`, `resume` or `fork`",
  updatedMCPToolOutput: "for MCP tools (`tool_name` starts with `mcp__`)",
};

function known(answer) {
  if (!(answer in answerWords)) throw new Error(`scripts/docs/events-page.mjs has no words for the answer ${answer}`);
  return answer;
}

function link(name) {
  return `[${name}](#${name.toLowerCase()})`;
}

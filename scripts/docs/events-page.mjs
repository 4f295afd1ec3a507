import { fieldWords } from "./field-words.mjs";
import { code, codes, printed, table } from "./markdown.mjs";

/** docs/events.md: everything the catalog says, event by event. */
export function eventsPage({ catalog, commonFields }) {
  const rows = Object.values(catalog);
  return [
    printed,
    "# Events",
    `Hookline knows ${rows.length} events. Each has one row in the catalog, and the engine behaves by that row. This page is the rows in words.\nWhat goes without saying is left out: the host waits, a hook has the time limit of its type, and the handlers of an app together have 30 seconds.`,
    "## All of them",
    table(
      ["event", "matcher", "a hook can block", "fires"],
      rows.map((row) => [link(row.name), matcher(row), row.blocks ? "yes" : "no", row.fires]),
    ),
    "## What every payload begins with",
    "The engine sends one JSON object: these fields, then the event's own. A field marked ? is not always there. Fields the host adds are passed on unchanged.",
    fieldTable(commonFields),
    "`dist/schema.json` in the package has a JSON Schema of what each event's hooks read and write, under `$defs`: `PreToolUse.input`, `PreToolUse.output`.",
    "`permission_mode`, `effort`, and the pair `agent_id` and `agent_type` come only with events that say so below.",
    "## What every hook may answer",
    table(["field", "effect"], universal),
    ...Object.entries(phases).flatMap(([phase, title]) => [
      `## ${title}`,
      ...rows.filter((row) => row.phase === phase).map(eventSection),
    ]),
    "## Answers",
    "Keys of `hookSpecificOutput`. Each counts only on the events that list it.",
    table(
      ["answer", "effect"],
      Object.entries(answerWords).map(([name, words]) => [code(name), words]),
    ),
  ].join("\n\n");
}

const phases = {
  session: "Session",
  prompt: "Prompt and display",
  tool: "Tool calls",
  turn: "End of a turn",
  agent: "Agents, teammates, tasks",
  context: "Context and model",
  settings: "Settings, files, folders",
  mcp: "MCP questions and notices",
};

const universal = [
  [
    "`continue: false`, `stopReason`",
    "the run is to stop; what stops is said per event, elsewhere it is dropped with `continue-ignored`",
  ],
  ["`systemMessage`", "a text for the person"],
  ["`suppressOutput`", "kept in the record, no other effect"],
  ["`terminalSequence`", "a title, notice or bell for the terminal; anything else is dropped whole"],
  ['`decision: "block"`, `reason`', "denies on events that say so below"],
  ['`decision: "approve"`', "allows where `allow` is among the verdicts; no opinion elsewhere"],
  ["`hookSpecificOutput`", "the event's own answers; its `hookEventName` must be the event's name"],
  [
    "`async: true`, `asyncTimeout`",
    "as the first line of a command hook: the rest of the run goes into the background",
  ],
];

const answerWords = {
  additionalContext: "a text for the model",
  permissionDecision: "the verdict; `permissionDecisionReason` says why",
  updatedInput: "the whole tool input to use instead",
  decision:
    '`{ "behavior": "allow", updatedInput?, updatedPermissions? }` or `{ "behavior": "deny", message?, interrupt? }`, in the person\'s place',
  updatedToolOutput: "what the model is shown in place of the tool's output",
  updatedMCPToolOutput: "the older name of `updatedToolOutput`, for MCP tools",
  classifierContext: "a text for the host's classifier",
  initialUserMessage: "a first turn of its own",
  sessionTitle: "the session's title",
  watchPaths: "absolute paths to watch for `FileChanged`",
  reloadSkills: "the host reads its skills again",
  suppressOriginalPrompt: "the refused prompt is not repeated to the person",
  displayContent: "what is shown in place of the text; the stored message is untouched",
  retry: "the model may try again",
  worktreePath: "the folder that was made; command hooks print it instead",
  action: "`accept`, `decline` or `cancel`",
  content: "the values that go with `accept`",
};

function eventSection(row) {
  return [
    `### ${row.name}`,
    `Fires: ${row.fires}.${row.since === "declared" ? " Declared by newer clients; not measured." : ""}`,
    table(["", ""], facts(row)),
    Object.keys(row.fields).length === 0 ? "It has no fields of its own." : fieldTable(row.fields),
  ].join("\n\n");
}

/** What goes without saying is left out: a host waits, a type has its own limit, an answer that is not listed does not count. */
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
    ["the host", row.awaited === true ? "" : `goes on at once${row.awaited ? "; hooks may outlive it" : ""}`],
    ["also carries", codes(row.carries.flatMap((name) => (name === "agent" ? ["agent_id", "agent_type"] : [name])))],
    ...specials(row),
    ["in an app", `${code(row.app.method)}${row.app.deadlineMs ? `, at most ${row.app.deadlineMs / 1_000} s` : ""}`],
    ["its handlers may answer", codes([...row.app.answers, "systemMessage", "raw"])],
  ];
  return facts.filter(([, says]) => says !== "");
}

function exit2({ onBlock, blocks }) {
  if (onBlock === null) return "no decision; stderr goes to the person";
  return `${blocked[onBlock]}${blocks ? `: ${blocks}` : ""}`;
}

function fieldTable(fields) {
  return table(
    ["field", "holds"],
    Object.entries(fields).map(([name, field]) => [`${code(name)}${field.optional ? " ?" : ""}`, fieldWords(field)]),
  );
}

function matcher({ matchesOn }) {
  if (matchesOn === null) return "nothing";
  return `${matchesOn.part === "basename" ? "the base name of " : ""}${code(matchesOn.field)}${matchesOn.narrow ? " (narrow)" : ""}`;
}

const texts = {
  context: "a text for the model",
  instructions: "instructions, after the person's own",
  message: "a text for the person",
  path: "the path: the last line that is not empty",
  none: "stays in the record",
};

const blocked = {
  refuse: "refuses",
  feedback: "denies; it has already happened, the reason goes to the model",
  goOn: "makes the agent go on",
  stop: "ends the loop",
  decline: "declines",
  fail: "fails it",
};

const others = { report: "a failed hook", fail: "fails it", none: "stay in the record" };

function failures({ onFailure, special }) {
  const late = special.timeoutDenies ? "; one that times out refuses" : "";
  if (onFailure === "fail") return "always refuses";
  return `${onFailure === "guard" ? 'goes on; with `onFailure: "block"` it denies' : "goes on, whatever `onFailure` says"}${late}`;
}

const stops = {
  ignore: "",
  stop: "the run stops",
  refuse: "as a block",
  "after-tool":
    "the tool still runs and the loop stops after it; next to a denial the loop stops too; dropped next to a question without a person to ask",
  "end-turn": "the turn ends, whatever other hooks say",
};

function limit({ timeoutMs, special }) {
  const { budget } = special;
  if (budget !== undefined) {
    return `${budget.ms / 1000} s for all hooks together; a hook's own \`timeout\` raises it to ${budget.mostMs / 1000} s at most, \`${budget.variable}\` replaces it`;
  }
  return timeoutMs === null ? "" : `${timeoutMs / 1000} s`;
}

/** What only a few events do. */
function specials({ special }) {
  const notes = [
    special.onTool && "`if` conditions are read here; `tool_name` and `tool_input` must be there",
    special.endsTurn && "context makes the agent go on too; continuations in a row are counted and capped",
    special.envFile && "command hooks get `CLAUDE_ENV_FILE`",
    special.exit2HidesAnswers && "with exit 2 the answers are not read",
    special.answersPath &&
      "the path must be a folder that exists, reached without `..` and without links below the project",
    special.insideAgent &&
      `in an agent's frontmatter it means \`${special.insideAgent}\`, and this event as well in a session that was started as the agent`,
    special.honouredWhen && `${codes(Object.keys(special.honouredWhen))} counts for some payloads only`,
    special.blocksWhen && "a block counts for some payloads only: managed policy cannot be kept out",
    special.messageIsContext && "for some payloads `systemMessage` is a text for the model",
  ].filter(Boolean);
  return notes.map((note) => ["note", note]);
}

function known(answer) {
  if (!(answer in answerWords)) throw new Error(`scripts/docs/events-page.mjs has no words for the answer ${answer}`);
  return answer;
}

function link(name) {
  return `[${name}](#${name.toLowerCase()})`;
}

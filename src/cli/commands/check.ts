import { openRules } from "../../engine/internal.ts";
import {
  compileRules,
  type JudgeContext,
  type Judgement,
  judge,
  type Policy,
  type RuleLayer,
} from "../../permissions/internal.ts";
import {
  defined,
  escapeControls,
  eventRow,
  intendedName,
  isObject,
  messageOf,
  Problem,
  type Warning,
} from "../../protocol/internal.ts";
import type { Command, Io, ParsedCall } from "../command-line/command.ts";
import { inputLines, readObject } from "../command-line/input.ts";
import { choice, optionTexts, workingFolder } from "../options/option-values.ts";
import { permissionMode } from "../options/permission-mode.ts";
import { settingsArguments } from "../options/settings-options.ts";
import { judgementJson, judgementLine, judgementText } from "../print/judgement.ts";
import { jsonText, styleFor } from "../print/terminal.ts";

export const command: Command = {
  usage: "TOOL --input JSON|- [--allow RULE]… [--ask RULE]… [--deny RULE]… | --batch",
  about: `Checks one tool call against the permission rules in effect. Prints allow, ask or deny, the rule that decided, and each part of
the command.

Rules passed as options are added to those in the settings. Nothing is run or written. With --batch each line of standard input that
is not blank is a call {"tool","input"}, and each line of output is its result, in the same order.
Exit status: 0 whatever the decision is; with --exit-code 2 for deny and 3 for ask; 1 on failure.`,
  mostArguments: 1,
  options: {
    input: { value: "JSON|-", about: "input of the tool" },
    allow: { value: "RULE", multiple: true, about: "rule that allows, such as 'Bash(git *)'" },
    ask: { value: "RULE", multiple: true, about: "rule that asks" },
    deny: { value: "RULE", multiple: true, about: "rule that denies" },
    mode: { value: "MODE", about: "default, acceptEdits, plan, dontAsk, bypassPermissions or auto" },
    cwd: { value: "DIR", about: "project directory (default: the current one)" },
    settings: { value: "FILE", multiple: true, about: "additional settings file; can be repeated" },
    "no-settings": { about: "use only the rules and files given as options" },
    unattended: { about: "non-interactive: deny whatever would be asked" },
    "path-case": { value: "CASE", about: "auto (default), sensitive or insensitive" },
    shell: { value: "NAME", about: "shell that runs commands (default: bash)" },
    batch: { about: "check one call per line of standard input" },
    json: { about: "print one JSON object; with --batch one per line" },
    "exit-code": { about: "exit with 2 for deny and 3 for ask" },
  },
  examples: [
    `hookline check Bash --input '{"command":"git log > notes.txt && npm test"}' --allow 'Bash(git *)'`,
    `hookline check Write --input '{"file_path":"src/a.ts"}' --mode acceptEdits --json`,
    "hookline check --batch --json < calls.jsonl",
  ],
  async run(call, io) {
    const { layers, warnings, context } = await permissionLayers(call, io);
    const policy = compileRules(layers);
    await printWarnings(warnings, io);
    return call.flag("batch") ? runBatch(call, policy, context, io) : runOne(call, policy, context, io);
  },
};

async function printWarnings(warnings: readonly { code: string; message: string }[], io: Io): Promise<void> {
  for (const { code, message } of warnings) await io.err(`hookline: ${code}: ${escapeControls(message)}\n`);
}

async function runOne(call: ParsedCall, policy: Policy, context: JudgeContext, io: Io): Promise<number> {
  const [tool] = call.operands;
  const given = call.text("input");
  if (tool === undefined || given === undefined) {
    throw new Problem("cli/usage", "check requires one tool and --input. See hookline check --help.");
  }
  const meant = intendedName(eventRow("PreToolUse"), tool);
  if (meant !== undefined)
    await io.err(`hookline: Unknown tool "${escapeControls(tool)}". Did you mean "${escapeControls(meant)}"?\n`);
  const judged = judge({ tool, input: await readObject(given, "--input", io) }, policy, context);
  // A rule on the misspelled name would allow nothing.
  const judgement = meant === undefined ? judged : { ...judged, suggestions: [] };
  const text = call.flag("json")
    ? jsonText(judgementJson(judgement))
    : judgementText(judgement, { home: context.home, style: styleFor(io) });
  await io.out(text);
  return call.flag("exit-code") ? exitCode([judgement.decision]) : 0;
}

async function runBatch(call: ParsedCall, policy: Policy, context: JudgeContext, io: Io): Promise<number> {
  if (call.operands.length > 0 || call.text("input") !== undefined) {
    throw new Problem("cli/usage", "With --batch calls come from standard input. Omit TOOL and --input.");
  }
  const decisions: Judgement["decision"][] = [];
  let failed = false;
  // Lines are answered as they arrive: a caller can send one, read its result and send the next.
  for await (const line of inputLines(io)) {
    if (line.trim() === "") continue;
    const toolCall = readCall(line);
    if ("fault" in toolCall) {
      failed = true;
      const error = toolCall.fault;
      await io.out(call.flag("json") ? jsonText({ error }, 0) : `error\t${escapeControls(error)}\n`);
      continue;
    }
    const judgement = judge(toolCall, policy, context);
    // They are the same for every call.
    if (decisions.length === 0 && !call.flag("json")) await printWarnings(judgement.warnings, io);
    decisions.push(judgement.decision);
    await io.out(call.flag("json") ? `${JSON.stringify(judgementJson(judgement))}\n` : judgementLine(judgement));
  }
  if (failed) return 1;
  return call.flag("exit-code") ? exitCode(decisions) : 0;
}

function exitCode(decisions: readonly Judgement["decision"][]): number {
  if (decisions.includes("deny")) return 2;
  return decisions.includes("ask") ? 3 : 0;
}

function readCall(line: string): { tool: string; input: unknown } | { fault: string } {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    return { fault: `the line is not valid JSON: ${messageOf(cause)}` };
  }
  const { tool, input }: { tool?: unknown; input?: unknown } = isObject(value) ? value : {};
  if (typeof tool !== "string" || tool === "") return { fault: 'expected {"tool":"Bash","input":{…}}' };
  return isObject(input) ? { tool, input } : { fault: "input must be a JSON object" };
}

/** The rules of every settings file in effect, those given as options, and where the call is made. */
async function permissionLayers(call: ParsedCall, io: Io) {
  const cwd = workingFolder(call, io);
  const flags: RuleLayer = {
    scope: "flags",
    allow: call.texts("allow"),
    ask: call.texts("ask"),
    deny: call.texts("deny"),
  };
  const rules = await openRules({ cwd, home: io.home, env: io.env, settings: settingsArguments(call, io) });
  const onlyOptions = call.flag("no-settings");
  const applying = rules.layers.filter(({ scope }) => !onlyOptions || scope === "settings");
  const applies = ({ place }: Warning) => !onlyOptions || applying.some(({ file }) => file && place?.startsWith(file));
  return {
    layers: [...applying, flags],
    warnings: rules.warnings.filter((warning) => concernsPermissions(warning) && applies(warning)),
    context: {
      ...rules.context(),
      attended: !call.flag("unattended"),
      pathCase: choice(call, "path-case", ["auto", "sensitive", "insensitive"]) ?? "auto",
      ...defined({ mode: permissionMode(call, "mode") }),
      ...optionTexts(call, { shell: "shell" }),
    },
  };
}

/** Warnings about files as a whole and about permissions. `hookline list` prints those about hooks. */
function concernsPermissions({ code, place }: Warning): boolean {
  if (code === "not-trusted") return place?.endsWith(":permissions") === true;
  if (code === "policy-key-ignored") return /: (?:permissions\.|allowManagedPermissionRulesOnly$)/.test(place ?? "");
  return fileCodes.has(code);
}

const fileCodes: ReadonlySet<string> = new Set([
  "settings-unreadable",
  "settings-invalid",
  "unknown-keys",
  "setting-unsupported",
  "managed-unreadable",
  "trust-store-refused",
]);

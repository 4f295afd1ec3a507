import { resolve } from "node:path";
import { openRules } from "../../engine/internal.ts";
import {
  compileRules,
  type JudgeContext,
  type Judgement,
  judge,
  type Policy,
  type RuleLayer,
} from "../../permissions/internal.ts";
import { escapeControls, messageOf, Problem, type Warning } from "../../protocol/internal.ts";
import type { Call, Command, Io } from "../command-line/command.ts";
import { readObject } from "../command-line/input.ts";
import { oneOf } from "../option-values.ts";
import { settingsFiles } from "../options/settings-options.ts";
import { jsonText } from "../print/json.ts";
import { judgementJson, judgementLine, judgementText } from "../print/judgement.ts";
import { styleFor } from "../print/style.ts";

export const command: Command = {
  usage: "TOOL --input JSON|- [--allow RULE]… [--ask RULE]… [--deny RULE]… | --batch",
  about: `Judges one tool call by the permission rules that apply: allow, ask or deny, with the rule and every part looked at.

Rules given count beside those of the settings. It runs nothing and writes nothing. The exit status is 0 whatever is decided; with
--exit-code a denial is 2 and a question 3. A call that cannot be made is 1. With --batch each line of standard input is one
{"tool","input"}, and each line printed its answer, in the same order.`,
  options: {
    input: { type: "string", value: "JSON|-", about: "the tool's input" },
    allow: { type: "string", value: "RULE", multiple: true, about: "a rule that allows, such as 'Bash(git *)'" },
    ask: { type: "string", value: "RULE", multiple: true, about: "a rule that asks" },
    deny: { type: "string", value: "RULE", multiple: true, about: "a rule that denies" },
    mode: { type: "string", value: "MODE", about: "default, acceptEdits, plan, dontAsk, bypassPermissions or auto" },
    cwd: { type: "string", value: "DIR", about: "the working directory and project (default: here)" },
    settings: { type: "string", value: "FILE", multiple: true, about: "a further settings file; may be given again" },
    "no-settings": { type: "boolean", about: "only the rules and files given here count" },
    unattended: { type: "boolean", about: "nobody is there to ask: a question becomes a denial" },
    "path-case": { type: "string", value: "CASE", about: "auto (default), sensitive or insensitive" },
    shell: { type: "string", value: "NAME", about: "the shell commands go to (default: bash)" },
    batch: { type: "boolean", about: "judge one call per line of standard input" },
    json: { type: "boolean", about: "print the judgement as JSON; with --batch one object per line" },
    "exit-code": { type: "boolean", about: "exit 2 when denied, 3 when it must be asked" },
  },
  examples: [
    `hookline check Bash --input '{"command":"git log > notes.txt && npm test"}' --allow 'Bash(git *)'`,
    `hookline check Write --input '{"file_path":"src/a.ts"}' --mode acceptEdits --json`,
    "hookline check --batch --json < calls.jsonl",
  ],
  async run(call, io) {
    const cwd = resolve(io.cwd, call.text("cwd") ?? ".");
    const { layers, warnings, context: place } = await permissionLayers(call, cwd, io);
    const compiled = compileRules(layers);
    const context = contextFrom(call, place);
    await tell(warnings, io);
    return call.flag("batch") ? runBatch(call, compiled, context, io) : runOne(call, compiled, context, io);
  },
};

async function tell(warnings: readonly { readonly code: string; readonly message: string }[], io: Io): Promise<void> {
  for (const { code, message } of warnings) await io.err(`hookline: ${code}: ${escapeControls(message)}\n`);
}

async function runOne(call: Call, policy: Policy, context: JudgeContext, io: Io): Promise<number> {
  const [tool, ...extra] = call.words;
  const given = call.text("input");
  if (tool === undefined || extra.length > 0 || given === undefined) {
    throw new Problem("cli/usage", "hookline check takes one tool and its --input. See hookline check --help.");
  }
  const judgement = judge({ tool, input: await readObject(given, "--input", io) }, policy, context);
  const text = call.flag("json")
    ? jsonText(judgementJson(judgement))
    : judgementText(judgement, { home: context.home, style: styleFor(io) });
  await io.out(text);
  return call.flag("exit-code") ? exitCode([judgement]) : 0;
}

async function runBatch(call: Call, policy: Policy, context: JudgeContext, io: Io): Promise<number> {
  if (call.words.length > 0 || call.text("input") !== undefined) {
    throw new Problem(
      "cli/usage",
      "With --batch the calls come from standard input, one per line; TOOL and --input are not given.",
    );
  }
  const seen: { decision: Judgement["decision"] }[] = [];
  let failed = false;
  for await (const line of linesOf(io)) {
    if (line.trim() === "") continue;
    const asked = readCall(line);
    if ("fault" in asked) {
      failed = true;
      await io.out(
        call.flag("json") ? `${JSON.stringify({ error: asked.fault })}\n` : `error\t${escapeControls(asked.fault)}\n`,
      );
      continue;
    }
    const judgement = judge(asked, policy, context);
    // A line of text has no room for them; they are the same for every call.
    if (seen.length === 0 && !call.flag("json")) await tell(judgement.warnings, io);
    seen.push({ decision: judgement.decision });
    await io.out(call.flag("json") ? `${JSON.stringify(judgementJson(judgement))}\n` : judgementLine(judgement));
  }
  if (failed) return 1;
  return call.flag("exit-code") ? exitCode(seen) : 0;
}

function contextFrom(call: Call, place: JudgeContext): JudgeContext {
  const mode = call.text("mode");
  const shell = call.text("shell");
  return {
    ...place,
    attended: !call.flag("unattended"),
    pathCase: oneOf("path-case", call.text("path-case"), ["auto", "sensitive", "insensitive"]) ?? "auto",
    ...(mode === undefined ? {} : { mode }),
    ...(shell === undefined ? {} : { shell }),
  };
}

function exitCode(judgements: readonly { decision: Judgement["decision"] }[]): number {
  if (judgements.some(({ decision }) => decision === "deny")) return 2;
  return judgements.some(({ decision }) => decision === "ask") ? 3 : 0;
}

function readCall(line: string): { tool: string; input: unknown } | { fault: string } {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    return { fault: `the line is no JSON: ${messageOf(cause)}` };
  }
  const { tool, input } = (value !== null && typeof value === "object" ? value : {}) as {
    tool?: unknown;
    input?: unknown;
  };
  if (typeof tool !== "string" || tool === "") return { fault: 'a line is {"tool":"Bash","input":{…}}' };
  if (input === null || typeof input !== "object" || Array.isArray(input)) {
    return { fault: "input must be a JSON object" };
  }
  return { tool, input };
}

/** Lines as they arrive, so that a caller may send one, read its answer and send the next. */
async function* linesOf({ stdin }: Io): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stdin) {
    rest += typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  rest += decoder.decode();
  if (rest !== "") yield rest;
}

interface PermissionLayers {
  readonly layers: readonly RuleLayer[];
  readonly warnings: readonly Warning[];
  /** The place of a call, with the files that must not be changed unasked. */
  readonly context: JudgeContext;
}

/** The rules of every settings file that applies, and those given on the command line. */
async function permissionLayers(call: Call, cwd: string, io: Io): Promise<PermissionLayers> {
  const flags: RuleLayer = {
    scope: "flags",
    allow: call.texts("allow"),
    ask: call.texts("ask"),
    deny: call.texts("deny"),
  };
  const rules = await openRules({ cwd, home: io.home, env: io.env, settings: settingsFiles(call, io) });
  const alone = call.flag("no-settings");
  const counted = rules.layers.filter(({ scope }) => !alone || scope === "settings");
  const isCounted = ({ place }: Warning) => !alone || counted.some(({ file }) => file && place?.startsWith(file));
  return {
    layers: [...counted, flags],
    warnings: rules.warnings.filter((warning) => concernsPermissions(warning) && isCounted(warning)),
    context: rules.context(),
  };
}

/** What loading has to say about files as a whole and about permissions; what it says about hooks is for `list`. */
function concernsPermissions({ code, place }: Warning): boolean {
  if (code === "not-trusted") return place?.endsWith(":permissions") === true;
  if (code === "policy-key-ignored") return /: (?:permissions\.|allowManagedPermissionRulesOnly$)/.test(place ?? "");
  return codes.has(code);
}

const codes: ReadonlySet<string> = new Set([
  "settings-unreadable",
  "settings-invalid",
  "setting-unsupported",
  "managed-unreadable",
  "trust-store-refused",
]);

import { type HookAnswerRecord, isObject, parseJson, stripControl, type Verdict } from "../../../protocol/internal.ts";
import type { RunnerResult } from "../../runners/runner-result.ts";
import type { HookRun } from "../firing-event.ts";
import { readReturned } from "./callback-value.ts";
import { type ExactAnswer, readExact } from "./event-fields.ts";
import { outputFault, withFieldWarnings, withoutFaults } from "./exact-shape.ts";
import { defaultDenyReason, failureBlocks, noAnswer, type ReadAnswer, warn, withReason } from "./read-verdict.ts";
import { recoverRestriction } from "./salvage.ts";

/** What a run means for its event: pure, and the only place where exit codes, bodies and values become an answer. */
export function readAnswer(ran: RunnerResult, run: HookRun): ReadAnswer {
  switch (ran.output.kind) {
    case "printed":
      return readPrinted(ran, ran.output, run);
    case "body":
      return readBody(ran, ran.output, run);
    case "returned":
      return readReturned(ran, ran.output.value, run);
    case "judged":
      return plain(judged(ran.output, run));
    case "nothing":
      return plain(failedOnly(ran));
  }
}

type OutputOf<Kind> = Extract<RunnerResult["output"], { kind: Kind }>;

function plain(answer: HookAnswerRecord): ReadAnswer {
  return { answer, warnings: [] };
}

function readPrinted(ran: RunnerResult, { exit, whole }: OutputOf<"printed">, run: HookRun): ReadAnswer {
  if (exit === null) return onlyRestrictions(ran, run);
  const object = readOutput(ran, whole, run);
  if (exit === 2) return withExit2(ran, object, run);
  if (exit === 0) return object ?? plain(textAnswer(ran.stdout, run));
  const strict = failureBlocks(run);
  const counts = object !== undefined && object.answer.failure === undefined && run.event.row.onOther !== "fail";
  if (counts && (!strict || isRestriction(object.answer.verdict))) return object;
  const failure = ran.failure ?? `exited with code ${exit}${wordsOf(ran.stderr)}`;
  const kept = strict ? hidden(object) : (object ?? plain(noAnswer));
  return { answer: { ...kept.answer, failure }, warnings: kept.warnings };
}

function isRestriction({ kind }: Verdict): boolean {
  return kind === "deny" || kind === "ask";
}

/** An object, exact or broken, or a denial found in text; undefined when the output is plain text or empty. */
function readOutput(ran: RunnerResult, whole: boolean, run: HookRun): ReadAnswer | undefined {
  const parsed = parseOutput(ran.stdout, whole);
  if (parsed.kind === "empty") return undefined;
  if (parsed.kind === "object") return readObject(parsed.value, run);
  const found = recoverRestriction(parsed.text, run);
  if (found !== undefined) return repaired(found.verdict, "it was printed next to other output", run);
  if (!parsed.broken) return undefined;
  const failure = whole
    ? "stdout begins like a JSON object but does not parse"
    : "stdout was cut; JSON that did not fit does not count";
  return {
    answer: { ...textAnswer(ran.stdout, run), failure },
    warnings: [warn(run, "output-invalid", `${failure}. Print one JSON object and nothing else.`)],
  };
}

/** The form of an output, before its meaning is read. */
type Parsed =
  | { readonly kind: "empty" }
  | { readonly kind: "object"; readonly value: Readonly<Record<string, unknown>> }
  /** `broken`: it begins like an object and is not one. */
  | { readonly kind: "text"; readonly text: string; readonly broken: boolean };

/**
 * Output is JSON when its first character after blanks, newlines or a BOM is `{` and all of it parses as one object. Output that was
 * cut is never JSON, even if the part that was kept would parse.
 */
function parseOutput(output: string, whole: boolean): Parsed {
  const text = output.replace(/^\uFEFF/, "").trim();
  if (text === "") return { kind: "empty" };
  if (!text.startsWith("{")) return { kind: "text", text, broken: false };
  if (!whole) return { kind: "text", text, broken: true };
  const value = parseJson(text);
  return isObject(value) ? { kind: "object", value } : { kind: "text", text, broken: true };
}

/** Plain stdout of a hook that ended well, by the event's row. */
function textAnswer(stdout: string, run: HookRun): HookAnswerRecord {
  const text = stdout.trim();
  const { onText } = run.event.row;
  // A worktree hook answers by its text, so silence is a failure there.
  if (onText === "path") return pathAnswer(text, run);
  if (text === "") return noAnswer;
  if (onText === "context") return { ...noAnswer, context: [text] };
  if (onText === "message") return { ...noAnswer, messages: [text] };
  return onText === "instructions" ? { ...noAnswer, output: { customInstructions: text } } : noAnswer;
}

function pathAnswer(text: string, { hook: { ref } }: HookRun): HookAnswerRecord {
  const lines = ref.type === "command" ? stripControl(text).split("\n") : [];
  const path = lines.map((line) => line.trim()).findLast((line) => line !== "");
  return path === undefined ? noAnswer : { ...noAnswer, output: { worktreePath: path } };
}

function readObject(value: Readonly<Record<string, unknown>>, run: HookRun): ReadAnswer {
  if (run.late && outputFault(value) !== undefined) return readLate(value, run);
  const exact = readExact(value, run);
  if (!("invalid" in exact)) return withFieldWarnings(withSalvage(exact, value, run), value, run, "The hook printed");
  const found = recoverRestriction(value, run);
  if (found !== undefined) return repaired(found.verdict, exact.invalid, run);
  const failure = `printed an object that cannot be used: ${exact.invalid}`;
  return {
    answer: { ...noAnswer, failure },
    warnings: [warn(run, "output-invalid", `The hook's output was dropped: ${exact.invalid}.`)],
  };
}

/** Nothing is decided any more by what comes late, so the texts that can be read are kept. */
function readLate(value: Readonly<Record<string, unknown>>, run: HookRun): ReadAnswer {
  const { value: kept, faults } = withoutFaults(value);
  const { answer, warnings } = readObject(kept, run);
  const dropped = faults.map((fault) => warn(run, "output-invalid", `A field was dropped: ${fault}.`));
  return { answer, warnings: [...dropped, ...warnings] };
}

/** A denial in another spelling or place of an otherwise exact object, such as `permissionDecision` at the top. */
function withSalvage(exact: ExactAnswer, value: Readonly<Record<string, unknown>>, run: HookRun): ReadAnswer {
  const { unknownWord, ...read } = exact;
  if (isRestriction(read.answer.verdict)) return read;
  const looked = read.answer.verdict.kind === "none" || unknownWord !== undefined;
  const found = looked ? recoverRestriction(value, run) : undefined;
  if (found !== undefined) {
    const fixed = repaired(found.verdict, `it was printed as ${found.spelling}`, run);
    // The word was understood after all, so the warning that it is unknown would contradict.
    const others = read.warnings.filter(({ code }) => code !== "unknown-decision");
    return { answer: { ...read.answer, ...fixed.answer }, warnings: [...others, ...fixed.warnings] };
  }
  if (unknownWord === undefined || !failureBlocks(run)) return read;
  const failure = `printed an unknown decision ${JSON.stringify(unknownWord)}`;
  return { answer: { ...hidden(read).answer, failure }, warnings: read.warnings };
}

function repaired(verdict: Verdict, why: string, run: HookRun): ReadAnswer {
  const message = `${verdict.kind === "ask" ? "A question" : "A denial"} was recovered from invalid output and applies (${why}). Print exactly one JSON object.`;
  return { answer: { verdict }, warnings: [warn(run, "output-repaired", message)] };
}

/** Exit 2 blocks wherever the row lets it, whatever is on stdout; the object's own words are preferred to stderr. */
function withExit2(ran: RunnerResult, object: ReadAnswer | undefined, run: HookRun): ReadAnswer {
  const { row } = run.event;
  const kept = object === undefined || row.special.exit2HidesAnswers ? hidden(object) : object;
  if (row.onBlock === null) {
    const text = ran.stderr.trim();
    const message = `${row.name} does not read exit 2 as a decision${text ? `: ${text}` : ""}`;
    return { answer: kept.answer, warnings: [...kept.warnings, warn(run, "exit-2-ignored", message)] };
  }
  const { failure: _, ...answer } = kept.answer;
  const denied = isOwnDenial(answer.verdict, ran, run)
    ? answer.verdict
    : withReason("deny", ran.stderr.trim() || "No stderr output", run);
  const declined = row.answers.includes("action") ? { output: { ...answer.output, action: "decline" as const } } : {};
  return { answer: { ...answer, ...declined, verdict: denied }, warnings: kept.warnings };
}

function hidden(object: ReadAnswer | undefined): ReadAnswer {
  if (object === undefined) return plain(noAnswer);
  const { messages, stop } = object.answer;
  return {
    answer: { ...noAnswer, ...(messages ? { messages } : {}), ...(stop ? { stop } : {}) },
    warnings: object.warnings,
  };
}

/** A denial whose words are the hook's own; where they are stock words and stderr has some, those of stderr are better. */
function isOwnDenial(verdict: Verdict, { stderr }: RunnerResult, run: HookRun): boolean {
  return verdict.kind === "deny" && (verdict.reason !== defaultDenyReason(run) || stderr.trim() === "");
}

/** An http body: only an object or nothing at all is a success, but a denial counts under any status. */
function readBody(ran: RunnerResult, { ok, whole }: OutputOf<"body">, run: HookRun): ReadAnswer {
  if (!ok) return onlyRestrictions(ran, run);
  // The text of an MCP tool is read like a command's stdout; a web server must answer JSON.
  if (run.hook.ref.type === "mcp_tool") return readOutput(ran, whole, run) ?? plain(textAnswer(ran.stdout, run));
  const parsed = parseOutput(ran.stdout, whole);
  if (parsed.kind === "empty") return plain(noAnswer);
  if (parsed.kind === "object") return readObject(parsed.value, run);
  const found = recoverRestriction(parsed.text, run);
  if (found !== undefined) return repaired(found.verdict, "the body is not a JSON object", run);
  return plain({ ...noAnswer, failure: ran.failure ?? "the body is not a JSON object" });
}

/** A run that failed: a denial or question it made is kept, everything else is not. */
function onlyRestrictions(ran: RunnerResult, run: HookRun): ReadAnswer {
  const parsed = parseOutput(ran.stdout, true);
  const found = recoverRestriction(parsed.kind === "object" ? parsed.value : ran.stdout, run);
  const failed = failedOnly(ran);
  if (found === undefined) return plain(failed);
  const kept = repaired(found.verdict, ran.failure ?? "the hook failed", run);
  return { answer: { ...failed, ...kept.answer }, warnings: kept.warnings };
}

function judged(output: OutputOf<"judged">, run: HookRun): HookAnswerRecord {
  const { row } = run.event;
  if (output.ok || row.onNotOk === "ignore") return noAnswer;
  const reason = output.reason?.trim() ? output.reason : undefined;
  if (output.impossible && row.special.endsTurn) {
    return { ...noAnswer, messages: [reason ?? "A hook judged that its condition cannot be met."] };
  }
  if (row.onNotOk === "stop" && !output.continueOnBlock) return { ...noAnswer, stop: reason ? { reason } : {} };
  if (!row.decisions.includes("deny")) return noAnswer;
  const stops = row.onNotOk === "deny-and-stop" && run.hook.ref.type === "prompt" && !output.continueOnBlock;
  return { verdict: withReason("deny", reason, run), ...(stops ? { stop: reason ? { reason } : {} } : {}) };
}

function failedOnly(ran: RunnerResult): HookAnswerRecord {
  return ran.failure === undefined ? noAnswer : { ...noAnswer, failure: ran.failure };
}

function wordsOf(stderr: string): string {
  const text = stderr.trim();
  return text ? `: ${text.length > 500 ? `${text.slice(0, 500)}…` : text}` : "";
}

import type { Answer, Verdict } from "../../protocol/index.ts";
import type { Ran } from "../ran.ts";
import { type ExactAnswer, readExact } from "./exact.ts";
import { parseOutput } from "./parse-output.ts";
import { failureBlocks, noAnswer, type ReadAnswer, type Reading, stockDenial, warn } from "./reading.ts";
import { readReturned } from "./returned.ts";
import { salvage } from "./salvage.ts";
import { faultOf, withoutFaults } from "./shape.ts";
import { noted } from "./strange-fields.ts";
import { textAnswer } from "./text.ts";
import { worded } from "./verdict.ts";

/** What a run means for its event: pure, and the only place where exit codes, bodies and values become an answer. */
export function readAnswer(ran: Ran, reading: Reading): ReadAnswer {
  switch (ran.said.kind) {
    case "printed":
      return readPrinted(ran, ran.said, reading);
    case "body":
      return readBody(ran, ran.said, reading);
    case "returned":
      return readReturned(ran, ran.said.value, reading);
    case "judged":
      return { answer: judged(ran.said, reading), warnings: [] };
    case "nothing":
      return { answer: failedOnly(ran), warnings: [] };
  }
}

function readPrinted(ran: Ran, said: Extract<Ran["said"], { kind: "printed" }>, reading: Reading): ReadAnswer {
  if (said.exit === null) return onlyRestrictions(ran, reading);
  const object = readOutput(ran, said.whole, reading);
  if (said.exit === 2) return withExit2(ran, object, reading);
  if (said.exit === 0) return object ?? textAnswer(ran.stdout, reading);
  const strict = failureBlocks(reading);
  const counts = object !== undefined && object.answer.failure === undefined && reading.row.onOther !== "fail";
  if (counts && (!strict || isRestriction(object.answer.verdict))) return object;
  const failure = ran.failure ?? `exited with code ${said.exit}${wordsOf(ran.stderr)}`;
  const kept = strict ? hidden(object) : (object ?? { answer: noAnswer, warnings: [] });
  return { answer: { ...kept.answer, failure }, warnings: kept.warnings };
}

function isRestriction({ kind }: Verdict): boolean {
  return kind === "deny" || kind === "ask";
}

/** An object, exact or broken, or a denial found in text; undefined when the output is plain text or empty. */
function readOutput(ran: Ran, whole: boolean, reading: Reading): ReadAnswer | undefined {
  const parsed = parseOutput(ran.stdout, whole);
  if (parsed.kind === "empty") return undefined;
  if (parsed.kind === "object") return readObject(parsed.value, reading);
  const found = salvage(parsed.text, reading);
  if (found !== undefined) return repaired(found.verdict, "it stood beside other output", reading);
  if (!parsed.broken) return undefined;
  const plain = textAnswer(ran.stdout, reading);
  const why = whole
    ? "stdout begins like a JSON object but does not parse"
    : "stdout was cut; JSON that did not fit does not count";
  return {
    answer: { ...plain.answer, failure: why },
    warnings: [...plain.warnings, warn(reading, "output-invalid", `${why}. Print one JSON object and nothing else.`)],
  };
}

function readObject(value: Readonly<Record<string, unknown>>, reading: Reading): ReadAnswer {
  if (reading.late && faultOf(value) !== undefined) return readLate(value, reading);
  const exact = readExact(value, reading);
  if (!("invalid" in exact)) return noted(withSalvage(exact, value, reading), value, reading, "The hook printed");
  const found = salvage(value, reading);
  if (found !== undefined) return repaired(found.verdict, exact.invalid, reading);
  const failure = `printed an object that cannot be used: ${exact.invalid}`;
  return {
    answer: { ...noAnswer, failure },
    warnings: [warn(reading, "output-invalid", `The hook's output was dropped: ${exact.invalid}.`)],
  };
}

/** Nothing is decided any more by what comes late, so the texts that can be read are kept. */
function readLate(value: Readonly<Record<string, unknown>>, reading: Reading): ReadAnswer {
  const { value: kept, faults } = withoutFaults(value);
  const { answer, warnings } = readObject(kept, reading);
  const dropped = faults.map((fault) => warn(reading, "output-invalid", `A field was dropped: ${fault}.`));
  return { answer, warnings: [...dropped, ...warnings] };
}

/** A denial in another spelling or place of an otherwise exact object, such as `permissionDecision` at the top. */
function withSalvage(exact: ExactAnswer, value: Readonly<Record<string, unknown>>, reading: Reading): ReadAnswer {
  const { unknownWord, ...read } = exact;
  if (isRestriction(read.answer.verdict)) return read;
  const looked = read.answer.verdict.kind === "none" || unknownWord !== undefined;
  const found = looked ? salvage(value, reading) : undefined;
  if (found !== undefined) {
    const fixed = repaired(found.verdict, `it was printed as ${found.spelling}`, reading);
    // The word was understood after all, so the warning that it is unknown would contradict.
    const others = read.warnings.filter(({ code }) => code !== "unknown-decision");
    return { answer: { ...read.answer, ...fixed.answer }, warnings: [...others, ...fixed.warnings] };
  }
  if (unknownWord === undefined || !failureBlocks(reading)) return read;
  const failure = `printed an unknown decision ${JSON.stringify(unknownWord)}`;
  return { answer: { ...hidden(read).answer, failure }, warnings: read.warnings };
}

function repaired(verdict: Verdict, why: string, reading: Reading): ReadAnswer {
  const message = `${verdict.kind === "ask" ? "An ask" : `A ${verdict.kind}`} was read out of broken output and counts (${why}). Print exactly one JSON object.`;
  return { answer: { verdict }, warnings: [warn(reading, "output-repaired", message)] };
}

/** Exit 2 blocks wherever the row lets it, whatever stands on stdout; the object's own words are preferred to stderr. */
function withExit2(ran: Ran, object: ReadAnswer | undefined, reading: Reading): ReadAnswer {
  const { row } = reading;
  const said = object === undefined || row.special.exit2HidesAnswers ? hidden(object) : object;
  if (row.onBlock === null) {
    const text = ran.stderr.trim();
    const message = `${row.name} does not read exit 2 as a decision${text ? `: ${text}` : ""}`;
    return { answer: said.answer, warnings: [...said.warnings, warn(reading, "exit-2-ignored", message)] };
  }
  const { failure: _, ...answer } = said.answer;
  const denied = isOwnDenial(answer.verdict, ran, reading)
    ? answer.verdict
    : worded("deny", exit2Reason(ran.stderr), reading);
  const declined = row.answers.includes("action") ? { output: { ...answer.output, action: "decline" as const } } : {};
  return { answer: { ...answer, ...declined, verdict: denied }, warnings: said.warnings };
}

function hidden(object: ReadAnswer | undefined): ReadAnswer {
  if (object === undefined) return { answer: noAnswer, warnings: [] };
  const { messages, stop } = object.answer;
  return {
    answer: { ...noAnswer, ...(messages ? { messages } : {}), ...(stop ? { stop } : {}) },
    warnings: object.warnings,
  };
}

/** A denial whose words are the hook's own; where they are stock words and stderr has some, those of stderr are better. */
function isOwnDenial(verdict: Verdict, { stderr }: Ran, reading: Reading): boolean {
  return verdict.kind === "deny" && (verdict.reason !== stockDenial(reading) || stderr.trim() === "");
}

function exit2Reason(stderr: string): string {
  return stderr.trim() || "No stderr output";
}

/** An http body: only an object or nothing at all is a success, but a denial counts under any status. */
function readBody(ran: Ran, said: Extract<Ran["said"], { kind: "body" }>, reading: Reading): ReadAnswer {
  if (!said.ok) return onlyRestrictions(ran, reading);
  // The text of an MCP tool is read like a command's stdout; a web server must answer JSON.
  if (reading.type === "mcp_tool") return readOutput(ran, said.whole, reading) ?? textAnswer(ran.stdout, reading);
  const parsed = parseOutput(ran.stdout, said.whole);
  if (parsed.kind === "empty") return { answer: noAnswer, warnings: [] };
  if (parsed.kind === "object") return readObject(parsed.value, reading);
  const found = salvage(parsed.text, reading);
  if (found !== undefined) return repaired(found.verdict, "the body is not a JSON object", reading);
  const failure = ran.failure ?? "the body is not a JSON object";
  return { answer: { ...noAnswer, failure }, warnings: [] };
}

/** A run that did not end well: a denial or question it made is kept, everything else is not. */
function onlyRestrictions(ran: Ran, reading: Reading): ReadAnswer {
  const parsed = parseOutput(ran.stdout, true);
  const found = salvage(parsed.kind === "object" ? parsed.value : ran.stdout, reading);
  const failed = failedOnly(ran);
  if (found === undefined) return { answer: failed, warnings: [] };
  const kept = repaired(found.verdict, ran.failure ?? "the hook did not end well", reading);
  return { answer: { ...failed, ...kept.answer }, warnings: kept.warnings };
}

function judged(said: Extract<Ran["said"], { kind: "judged" }>, reading: Reading): Answer {
  const { row } = reading;
  if (said.ok || row.onNotOk === "ignore") return noAnswer;
  const reason = said.reason?.trim() ? said.reason : undefined;
  if (said.impossible && row.special.endsTurn) {
    return { ...noAnswer, messages: [reason ?? "A hook judged that its condition cannot be met."] };
  }
  if (row.onNotOk === "stop" && !said.continueOnBlock) return { ...noAnswer, stop: reason ? { reason } : {} };
  if (!row.decisions.includes("deny")) return noAnswer;
  const stops = row.onNotOk === "deny-and-stop" && reading.type === "prompt" && !said.continueOnBlock;
  return { verdict: worded("deny", reason, reading), ...(stops ? { stop: reason ? { reason } : {} } : {}) };
}

function failedOnly(ran: Ran): Answer {
  return ran.failure === undefined ? noAnswer : { ...noAnswer, failure: ran.failure };
}

function wordsOf(stderr: string): string {
  const text = stderr.trim();
  return text ? `: ${text.length > 500 ? `${text.slice(0, 500)}…` : text}` : "";
}

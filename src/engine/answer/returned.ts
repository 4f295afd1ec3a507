import { type HookOutput, isObject, type Verdict } from "../../protocol/index.ts";
import type { Ran } from "../ran.ts";
import { readExact } from "./exact.ts";
import { noAnswer, type ReadAnswer, type Reading, warn } from "./reading.ts";
import { salvage } from "./salvage.ts";
import { honoured } from "./verdict.ts";

/** What a callback returned: nothing, a verdict, or the JSON a command would have printed. */
export function readReturned(ran: Ran, value: unknown, reading: Reading): ReadAnswer {
  if (value === undefined || value === null) return { answer: noAnswer, warnings: [] };
  if (!isObject(value)) return failed(ran, "returned a value that is no object", reading);
  if (isVerdict(value)) return fromVerdict(value, reading);
  const exact = readExact(value as HookOutput as Readonly<Record<string, unknown>>, reading);
  const invalid = "invalid" in exact ? exact.invalid : undefined;
  if (!("invalid" in exact) && exact.answer.verdict.kind !== "none") return exact;
  const verdict = salvage(value, reading);
  if (verdict !== undefined) {
    const message = `A ${verdict.kind} was read out of a value with a fault and counts (${invalid ?? "it stood in the wrong place"}).`;
    return { answer: { verdict }, warnings: [warn(reading, "output-repaired", message)] };
  }
  return "invalid" in exact ? failed(ran, `returned an object that cannot be used: ${exact.invalid}`, reading) : exact;
}

function failed(ran: Ran, why: string, reading: Reading): ReadAnswer {
  const failure = ran.failure ?? why;
  return { answer: { ...noAnswer, failure }, warnings: [warn(reading, "output-invalid", `The callback ${why}.`)] };
}

function isVerdict(value: Readonly<Record<string, unknown>>): value is Verdict {
  return ["none", "allow", "ask", "defer", "deny"].includes(String(value["kind"]));
}

function fromVerdict(said: Verdict, reading: Reading): ReadAnswer {
  if (said.kind === "none") return { answer: noAnswer, warnings: [] };
  const { verdict, warnings } = honoured(said.kind, said.reason, reading);
  const input =
    (said.kind === "allow" || said.kind === "ask") && said.input && takesInput(reading) ? { input: said.input } : {};
  return { answer: { verdict, ...input }, warnings };
}

function takesInput({ row }: Reading): boolean {
  return row.answers.includes("updatedInput") || row.answers.includes("decision");
}

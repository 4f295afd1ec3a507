import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { Problem } from "../../protocol/internal.ts";
import { messagesRequest } from "../anthropic/anthropic-request.ts";
import { brokenRule } from "../anthropic/request-rules.ts";
import type { Model, ModelError, ModelEvent, ModelRequest } from "../model.ts";
import { pause } from "../retry.ts";
import { answerLabel, chooseAnswer, unmetExpectations, unusedAnswers } from "./choose-answer.ts";
import { type IdSource, type PlayContext, playAnswer } from "./play-answer.ts";
import { type ModelScript, parseScript } from "./script.ts";

/** The options of `scripted`. */
export interface ScriptedOptions {
  /** Waits; replace it in tests. */
  readonly pause?: PlayContext["pause"];
}

/** A model that answers from a script: for tests, demos and use without a key. Takes the script or the path of its file. */
export async function scripted(from: ModelScript | string, options: ScriptedOptions = {}): Promise<ScriptedModel> {
  const script =
    typeof from === "string" ? parseScript(await jsonIn(from), from) : parseScript(from, "the given object");
  const name = script.model ?? "scripted";
  const used = script.answers.map(() => 0);
  const complaints: string[] = [];
  const stage = { ids: idsOf(script.ids), pause: options.pause ?? pause };

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const broken = brokenRule(messagesRequest(request));
    if (broken !== undefined) {
      yield complain("invalid_request_error", `The Messages API would refuse this request: ${broken}`);
      return;
    }
    const at = chooseAnswer(script, used, request);
    const answer = at === undefined ? undefined : script.answers[at];
    if (at === undefined || answer === undefined) {
      yield complain("no-answer", `The script has no answer left for this request: ${briefly(request)}`);
      return;
    }
    used[at] = (used[at] ?? 0) + 1;
    const wrong = unmetExpectations(answer.expect ?? [], request);
    if (wrong.length > 0) {
      yield complain("expectation", `${answerLabel(answer, at)} expects another request: ${wrong.join("; ")}`);
      return;
    }
    yield* playAnswer(answer, request, stage, signal);
  }

  function complain(errorType: string, message: string): ModelError {
    complaints.push(message);
    return { type: "error", status: 400, errorType, message };
  }

  return {
    name,
    ...(script.contextWindow === undefined ? {} : { contextWindow: script.contextWindow }),
    defaultEffort: () => "high",
    stream,
    complaints: () => [...complaints, ...unusedAnswers(script, used)],
  };
}

/** A scripted model, which reports what did not happen as scripted. */
export interface ScriptedModel extends Model {
  complaints(): readonly string[];
}

async function jsonIn(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch (cause) {
    throw new Problem("models/bad-script", `${file} cannot be read as a script: ${(cause as Error).message}`, {
      about: { where: file },
      cause,
    });
  }
}

function idsOf(kind: ModelScript["ids"] = "random"): IdSource {
  if (kind === "random") return { message: () => randomId("msg"), call: () => randomId("toolu") };
  let messages = 0;
  let calls = 0;
  return { message: () => countedId("msg", ++messages), call: () => countedId("toolu", ++calls) };
}

/** As long as the API's own. */
function randomId(prefix: string): string {
  return `${prefix}_${randomUUID().replaceAll("-", "").slice(0, 24)}`;
}

function countedId(prefix: string, count: number): string {
  return `${prefix}_scripted_${String(count).padStart(4, "0")}`;
}

function briefly({ purpose, subagent, messages }: ModelRequest): string {
  const last = JSON.stringify(messages.at(-1)?.content ?? "");
  const who = subagent === undefined ? purpose : `${purpose} (${subagent})`;
  return `${who}, last message ${last.length > 200 ? `${last.slice(0, 199)}…` : last}`;
}

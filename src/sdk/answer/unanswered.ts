import { readEvent, type WirePayload } from "../app/hook-event.ts";
import type { FailureMode } from "../app/registration.ts";
import { refusal } from "../run/handler-chain.ts";
import { ruleOf } from "./event-rules.ts";
import { fold } from "./fold-answers.ts";
import { type Spelled, spell } from "./wire-answer.ts";

/**
 * A failure of the whole app, as a process tells it: `block` is exit 2 with an empty stdout, `continue` a message and exit 1.
 * An agent that goes on because of such a refusal already is let stop, with a message.
 */
export function appFailure(message: string, mode: FailureMode, payload?: WirePayload): Spelled {
  const stderr = `hookline: ${message}\n`;
  const again = mode === "block" && payload !== undefined && isAgain(payload);
  if (mode === "block" && !again) return { stdout: "", stderr, exitCode: 2 };
  const wire = { systemMessage: `hookline: ${message}` };
  return { wire, stdout: `${JSON.stringify(wire)}\n`, stderr, exitCode: again ? 0 : 1 };
}

function isAgain(payload: WirePayload): boolean {
  const { refusesOncePerTurn } = ruleOf(String(payload["hook_event_name"]));
  return refusesOncePerTurn === true && payload["stop_hook_active"] === true;
}

/** What an event settles to when its handlers gave no answer at all: the strictest answer it has under `block`, and a message. */
export function withoutAnswer(payload: WirePayload, mode: FailureMode, message: string): Spelled {
  const event = readEvent(payload);
  const refused = mode === "block" ? refusal(ruleOf(event.name), event, message) : [];
  const spelled = spell(event.name, fold([...refused, { kind: "systemMessage", text: message }]));
  // What a form leaves for stderr is the same message again.
  return { ...spelled, stderr: `hookline: ${message}\n` };
}

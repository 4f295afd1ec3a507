import { defined, type HookSpecificOutput, isObject, type ToolInput } from "../../protocol/internal.ts";
import type { HookEvent } from "../app/hook-event.ts";
import type { Answer, AnswerKind, AnswerOf } from "./answer.ts";
import { eventRule } from "./event-rules.ts";

/** The combined answer of a chain of handlers, before it is put into the wire format. */
export interface FoldedAnswer {
  readonly decision?: AnswerOf<"allow" | "ask" | "defer">;
  /** Of any kind; the wire format of the event decides how it is expressed. */
  readonly refusal?: { readonly reason: string; readonly hidePrompt?: boolean; readonly interrupt?: boolean };
  readonly halt?: string;
  readonly contexts: readonly string[];
  readonly messages: readonly string[];
  readonly input?: ToolInput;
  /** In an object, because the new output may be anything, `undefined` included. */
  readonly output?: { readonly value: unknown };
  readonly approval?: Omit<AnswerOf<"approvePermission">, "kind">;
  readonly elicit?: Omit<AnswerOf<"elicit">, "kind">;
  readonly worktree?: string;
  /** Fields of the wire format that nothing else affects. */
  readonly fields: PlainFields;
  readonly raw?: Readonly<Record<string, unknown>>;
}

type PlainFields = Pick<
  HookSpecificOutput,
  "retry" | "sessionTitle" | "watchPaths" | "initialUserMessage" | "displayContent"
>;

/**
 * Combines answers in the order they were given. A refusal drops rewrites and weaker decisions but keeps texts for the model and the user.
 * Otherwise the strictest decision wins, with the reason of the first answer that made it.
 */
export function foldAnswers(answers: readonly Answer[]): FoldedAnswer {
  let folded: FoldedAnswer = { contexts: [], messages: [], fields: {} };
  for (const answer of answers) folded = { ...folded, ...(adders[answer.kind] as Adder<Answer>)(answer, folded) };
  if (folded.refusal === undefined && folded.halt === undefined) return folded;
  const { decision: _decision, input: _input, output: _output, approval: _approval, ...kept } = folded;
  return kept;
}

const refusals: ReadonlySet<AnswerKind> = new Set(["deny", "block", "halt", "denyPermission"]);

/** True for the answers that end a chain. */
export function isRefusal({ kind }: Answer): boolean {
  return refusals.has(kind);
}

/** The strictest answer of the event. None if it cannot be refused, or if the agent already continues because of a refusal. */
export function refusal(event: HookEvent, reason: string): readonly Answer[] {
  const rule = eventRule(event.name);
  if (rule.refusal === undefined) return [];
  if (rule.refusesOncePerTurn && event["stopHookActive"] === true) return [];
  return [{ kind: rule.refusal, reason }];
}

type Adder<One> = (answer: One, folded: FoldedAnswer) => Partial<FoldedAnswer>;

const strength = { allow: 1, ask: 2, defer: 3 } as const;

const addDecision: Adder<AnswerOf<"allow" | "ask" | "defer">> = (answer, { decision }) =>
  decision && strength[decision.kind] >= strength[answer.kind] ? {} : { decision: answer };

const addRefusal: Adder<AnswerOf<"deny" | "block" | "denyPermission">> = (answer, { refusal = answer }) => ({
  refusal,
});

/** What each kind of answer changes in the combined answer. */
const adders: { readonly [Kind in AnswerKind]: Adder<AnswerOf<Kind>> } = {
  allow: addDecision,
  ask: addDecision,
  defer: addDecision,
  deny: addRefusal,
  block: addRefusal,
  denyPermission: addRefusal,
  halt: ({ reason }, { halt = reason }) => ({ halt }),
  context: ({ text }, { contexts }) => ({ contexts: [...contexts, text] }),
  systemMessage: ({ text }, { messages }) => ({ messages: [...messages, text] }),
  updateInput: ({ input }) => ({ input }),
  updateOutput: ({ value }) => ({ output: { value } }),
  // The chain turns these into updateInput and updateOutput.
  patchInput: () => ({}),
  mapOutput: () => ({}),
  approvePermission: ({ kind: _kind, ...given }, { approval }) => ({ approval: { ...approval, ...given } }),
  elicit: ({ action, content }) => ({ elicit: defined({ action, content }) }),
  worktree: ({ path }) => ({ worktree: path }),
  retry: (_, { fields }) => ({ fields: { ...fields, retry: true } }),
  sessionTitle: ({ title }, { fields }) => ({ fields: { ...fields, sessionTitle: title } }),
  watchPaths: ({ paths }, { fields }) => ({
    fields: { ...fields, watchPaths: [...new Set([...(fields.watchPaths ?? []), ...paths])] },
  }),
  initialUserMessage: ({ text }, { fields }) => ({ fields: { ...fields, initialUserMessage: text } }),
  display: ({ text }, { fields }) => ({ fields: { ...fields, displayContent: text } }),
  raw: ({ fields }, { raw }) => ({ raw: mergeRaw(raw, fields) }),
};

export function isAnswerKind(kind: unknown): kind is AnswerKind {
  return typeof kind === "string" && Object.hasOwn(adders, kind);
}

type RawFields = NonNullable<FoldedAnswer["raw"]>;

function mergeRaw(before: RawFields = {}, after: RawFields): RawFields {
  const { hookSpecificOutput: specificBefore } = before;
  const { hookSpecificOutput: specificAfter } = after;
  const merged = { ...before, ...after };
  if (!isObject(specificBefore) || !isObject(specificAfter)) return merged;
  return { ...merged, hookSpecificOutput: { ...specificBefore, ...specificAfter } };
}

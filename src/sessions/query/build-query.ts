import { checkOf, groupBy, mustBe } from "../../protocol/internal.ts";
import type { AttachmentEntry, Entry, SystemEntry, UserEntry } from "../model/entry.ts";
import type { ModelCall } from "../model/model-call.ts";
import type { SessionToolCall } from "../model/session-tool-call.ts";
import type { Subagent } from "../model/subagents.ts";
import { checkArgument, countCheck, patternCheck, turnCheck } from "../option-checks.ts";
import type { ElementTest, Query, QueryElement, QueryPlan, QuerySlice, QuerySource } from "./query.ts";
import { boundaryTest, elementFacts, isHookRecord, nameTest, textTest } from "./query-filters.ts";

/** A query over all entries of the active branch. */
export function queryOf(source: QuerySource): Query<Entry> {
  return build<Entry>(source, { of: "entries", tests: [], branch: "active", agents: false, slices: [] });
}

function build<T extends QueryElement>(source: QuerySource, plan: QueryPlan): Query<T> {
  const step = <U extends QueryElement>(more: Partial<QueryPlan>) => build<U>(source, { ...plan, ...more });
  const keep = <U extends QueryElement = T>(passes: ElementTest, more: Partial<QueryPlan> = {}) =>
    step<U>({ ...more, tests: [...plan.tests, () => passes] });
  const addSlice = (slice: QuerySlice) => step<T>({ slices: [...plan.slices, slice] });
  const keepEntries = <U extends Entry>(passes: (entry: Entry) => boolean) =>
    keep<U>((element) => "kind" in element && passes(element), { of: "entries" });
  const read = () => results<T>(source, plan);
  const first = async () => {
    for await (const element of read()) return element;
    return undefined;
  };

  return {
    entries: () => step<Entry>({ of: "entries" }),
    users: ({ all = false } = {}) =>
      keepEntries<UserEntry>((entry) => entry.kind === "user" && (all || entry.role === "prompt")),
    assistants: () => step<ModelCall>({ of: "calls" }),
    tools: () => step<SessionToolCall>({ of: "tools" }),
    tool: (name) => {
      const hasName = nameTest(checkArgument("tool", name, patternCheck));
      return keep<SessionToolCall>((element) => "use" in element && hasName(element.name), { of: "tools" });
    },
    attachments: (type) =>
      keepEntries<AttachmentEntry>((entry) => entry.kind === "attachment" && fits(entry.type, type)),
    system: (subtype) => keepEntries<SystemEntry>((entry) => entry.kind === "system" && fits(entry.subtype, subtype)),
    hooks: (event) => keepEntries<AttachmentEntry>((entry) => isHookRecord(entry) && fits(entry.hookEvent, event)),
    agents: ({ depth } = {}) => {
      if (depth !== undefined) checkArgument("depth", depth, countCheck);
      return keep<Subagent>((element) => "thread" in element && (depth === undefined || element.depth <= depth), {
        of: "agents",
      });
    },

    withTools: () => keep((_, { blocks }) => blocks.some(({ type }) => type === "tool_use")),
    withText: () => keep((_, { blocks }) => blocks.some((block) => block.type === "text" && block.text !== "")),
    withThinking: () =>
      keep((_, { blocks }) => blocks.some(({ type }) => type === "thinking" || type === "redacted_thinking")),
    errors: () => keep((_, { failed }) => failed),
    model: (name) => {
      const hasName = nameTest(checkArgument("model", name, patternCheck));
      return keep((_, { model }) => model !== undefined && hasName(model));
    },
    matching: (text) => {
      const matches = textTest(checkArgument("matching", text, patternCheck));
      return keep((_, facts) => matches(facts.text()));
    },
    where: (test) => {
      checkArgument("where", test, mustBe.function);
      return keep((element) => test(element as T));
    },

    since: (boundary) => step<T>({ tests: [...plan.tests, (from) => boundaryTest("since", boundary, from)] }),
    until: (boundary) => step<T>({ tests: [...plan.tests, (from) => boundaryTest("until", boundary, from)] }),
    turn: (turn) => step<T>({ turn: checkArgument("turn", turn, turnCheck) }),
    branch: (branch) => step<T>({ branch: checkArgument("branch", branch, mustBe.text) }),
    including: (what) => {
      checkArgument("including", what, agentsCheck);
      return step<T>({ agents: true });
    },

    skip: (count) => addSlice({ skip: checkArgument("skip", count, countCheck) }),
    limit: (count) => addSlice({ limit: checkArgument("limit", count, countCheck) }),
    reverse: () => addSlice({ reverse: true }),

    first,
    async last() {
      return plan.slices.length === 0 ? addSlice({ reverse: true }).first() : (await collect(read())).at(-1);
    },
    all: () => collect(read()),
    async count() {
      let count = 0;
      for await (const _ of read()) count++;
      return count;
    },
    exists: async () => (await first()) !== undefined,
    async groupBy(key) {
      checkArgument("groupBy", key, mustBe.function);
      return groupBy(await collect(read()), key);
    },
    [Symbol.asyncIterator]: read,
  };
}

/** Without a wanted value every value fits. */
function fits(value: string | undefined, wanted: string | undefined): boolean {
  return wanted === undefined || value === wanted;
}

const agentsCheck = checkOf('"agents"', (what) => what === "agents");

async function* results<T extends QueryElement>(source: QuerySource, plan: QueryPlan): AsyncGenerator<T, undefined> {
  const [first, ...rest] = plan.slices;
  const isBackward = first !== undefined && "reverse" in first;
  let elements: AsyncIterable<QueryElement> = passing(source, plan, isBackward ? "back" : "front");
  for (const slice of isBackward ? rest : plan.slices) elements = sliced(elements, slice);
  for await (const element of elements) yield element as T;
}

async function* passing(source: QuerySource, plan: QueryPlan, end: "front" | "back"): AsyncIterable<QueryElement> {
  const tests: ElementTest[] = [];
  for (const test of plan.tests) tests.push(await test(source));
  for await (const element of source.run(plan, end)) {
    const facts = elementFacts(element);
    if (tests.every((test) => test(element, facts))) yield element;
  }
}

async function* sliced(elements: AsyncIterable<QueryElement>, slice: QuerySlice): AsyncIterable<QueryElement> {
  if ("reverse" in slice) {
    yield* (await collect(elements)).reverse();
    return;
  }
  let count = 0;
  if ("limit" in slice && slice.limit <= 0) return;
  for await (const element of elements) {
    count++;
    if ("skip" in slice) {
      if (count > slice.skip) yield element;
      continue;
    }
    yield element;
    if (count >= slice.limit) return;
  }
}

async function collect<T>(elements: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const element of elements) list.push(element);
  return list;
}

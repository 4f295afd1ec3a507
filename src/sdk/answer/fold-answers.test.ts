import { expect, test } from "vitest";
import {
  allow,
  approvePermission,
  ask,
  block,
  context,
  defer,
  deny,
  denyPermission,
  display,
  elicit,
  halt,
  initialUserMessage,
  sessionTitle,
  systemMessage,
  updateInput,
  watchPaths,
} from "../index.ts";
import type { Answer } from "./answer.ts";
import { foldAnswers, isRefusal } from "./fold-answers.ts";

test("defer beats ask beats allow, whichever comes first, with the reason of the first such answer", () => {
  const answers = [allow("a"), ask("b"), defer(), ask("c"), allow("d")];
  const decide = (list: readonly Answer[]) => foldAnswers(list).decision;
  expect(decide(answers)).toEqual(decide([...answers].reverse()));
  expect(decide(answers)?.kind).toBe("defer");
  expect(decide([allow("a"), ask("b"), ask("c")])).toEqual({ kind: "ask", reason: "b" });
  expect(decide([ask("c"), allow("a"), ask("b")])).toEqual({ kind: "ask", reason: "c" });
  expect(decide([allow("a"), allow("b")])).toEqual({ kind: "allow", reason: "a" });
});

test("each of the four refusals ends a chain, drops decisions and rewrites, and keeps context and messages", () => {
  for (const refuse of [deny("no"), block("no"), halt("no"), denyPermission("no")]) {
    const weaker = [allow("a"), updateInput({ a: 1 }), approvePermission(), context("c"), systemMessage("m")];
    const { contexts, messages, decision, input, approval, refusal, halt } = foldAnswers([...weaker, refuse]);
    expect([isRefusal(refuse), contexts, messages, refusal?.reason ?? halt]).toEqual([true, ["c"], ["m"], "no"]);
    expect([decision, input, approval]).toEqual([undefined, undefined, undefined]);
  }
  for (const go of [ask("?"), defer(), context("c"), elicit("decline")]) expect(isRefusal(go)).toBe(false);
});

test("paths are a union in order; of titles, texts to show, first messages and elicitations the last one counts", () => {
  const folded = foldAnswers([
    ...[watchPaths("/a", "/b"), sessionTitle("one"), display("one"), initialUserMessage("one"), elicit("decline")],
    ...[watchPaths("/b", "/c"), sessionTitle("two"), display("two"), initialUserMessage("two")],
    elicit("accept", { a: 1 }),
  ]);
  expect(folded).toEqual({
    ...{ contexts: [], messages: [] },
    fields: {
      ...{ watchPaths: ["/a", "/b", "/c"], sessionTitle: "two" },
      ...{ displayContent: "two", initialUserMessage: "two" },
    },
    elicit: { action: "accept", content: { a: 1 } },
  });
});

import { likelyName } from "../../protocol/index.ts";
import type { ConfiguredHook } from "../configured.ts";
import { dropDuplicates } from "../duplicates.ts";
import type { InForce } from "../in-force.ts";
import { policyGate } from "../policy.ts";
import { type Finding, finding } from "./finding.ts";

/** Hooks that do not run, or not as they look: switched off, waiting for approval, equal to another, never matching. */
export function standingFindings(now: InForce, cwd: string, home: string): readonly Finding[] {
  const off = policyGate(now);
  const place = { cwd, home, projectRoot: cwd };
  return [...now.byEvent.values()].flatMap((hooks) => [
    ...duplicates(hooks),
    ...hooks.flatMap((hook) => {
      const { ref, row } = hook;
      const refusal = off(hook, { row, payload: {}, value: undefined, place });
      if (refusal !== undefined) return [finding("hook-off", `${ref.name} is off: ${refusal.detail}.`, ref.id)];
      const { state, detail } = now.trust.ofHook(hook);
      const waits = `${ref.name} does not run: ${detail}; ${now.trust.wayOut}.`;
      return [...(state === "trusted" ? [] : [finding("hook-untrusted", waits, ref.id)]), ...neverMatches(hook)];
    }),
  ]);
}

function duplicates(hooks: readonly ConfiguredHook[]): readonly Finding[] {
  const matchers = new Set(hooks.map(({ matcher }) => matcher.text));
  return [...matchers].flatMap((text) =>
    dropDuplicates(hooks.filter(({ matcher }) => matcher.text === text)).skipped.map(({ hook, detail }) =>
      finding("hook-duplicate", `${hook.name} on ${hook.event} is ${detail}; this copy never does.`, hook.id),
    ),
  );
}

/** A list of names none of which can come. */
function neverMatches({ matcher, row, ref }: ConfiguredHook): readonly Finding[] {
  if (matcher.kind !== "names" || row.matchesOn === null) return [];
  const names = [...matcher.names];
  const hints = names.map((name) => likelyName(row, name));
  if (names.length === 0) return [finding("matcher-never", `The matcher "${matcher.text}" names nothing.`, ref.id)];
  if (hints.some((hint) => hint === undefined)) return [];
  const message = `The matcher "${matcher.text}" never matches. Did you mean "${hints.join("|")}"?`;
  return [finding("matcher-never", message, ref.id)];
}

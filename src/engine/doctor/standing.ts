import { dropDuplicates, switchedOff } from "../fire/admit.ts";
import type { ConfiguredHook } from "../settings/configured.ts";
import type { InForce } from "../settings/in-force.ts";
import { type Finding, finding } from "./finding.ts";

/** Hooks that do not run, or not as they look: switched off, waiting for approval, equal to another. */
export function standingFindings(now: InForce): readonly Finding[] {
  const all = [...now.byEvent.values()];
  const isOff = new Map(all.flat().map((hook) => [hook, switchedOff(hook, now)]));
  const waiting = all
    .flat()
    .filter((hook) => isOff.get(hook) === undefined)
    .map((hook) => ({ hook, ...now.trust.ofHook(hook) }))
    .filter(({ state }) => state !== "trusted");
  return [
    ...all.flatMap((hooks) => [
      ...duplicates(hooks),
      ...hooks.flatMap((hook) => {
        const { ref } = hook;
        const refusal = isOff.get(hook);
        if (refusal === undefined) return [];
        return [finding("hook-off", `${ref.name} is off in Hookline's hosts: ${refusal.detail}.`, ref.id)];
      }),
    ]),
    ...untrusted(waiting, now.trust.wayOut),
  ];
}

interface Waiting {
  readonly hook: ConfiguredHook;
  readonly detail: string;
}

/** One finding per reason, however many hooks wait for it: after an edit of a hooks file all of its entries do. */
function untrusted(waiting: readonly Waiting[], wayOut: string): readonly Finding[] {
  const reasons = [...new Set(waiting.map(({ detail }) => detail))];
  return reasons.flatMap((reason) => {
    const hooks = waiting.filter(({ detail }) => detail === reason).map(({ hook }) => hook);
    const [first] = hooks;
    if (first === undefined) return [];
    const events = [...new Set(hooks.map(({ ref }) => ref.event))].join(", ");
    const [who, runs] =
      hooks.length === 1
        ? [`${first.ref.name} on ${events} does not run`, "runs it"]
        : [`${hooks.length} hooks on ${events} do not run`, "runs them"];
    const message = `${who} in Hookline's hosts: ${reason}; ${wayOut}. Claude Code does not ask for this approval and ${runs}.`;
    return [finding("hook-untrusted", message, first.ref.id)];
  });
}

function duplicates(hooks: readonly ConfiguredHook[]): readonly Finding[] {
  const matchers = new Set(hooks.map(({ matcher }) => matcher.text));
  return [...matchers].flatMap((text) =>
    dropDuplicates(hooks.filter(({ matcher }) => matcher.text === text)).skipped.map(({ hook, detail }) =>
      finding("hook-duplicate", `${hook.name} on ${hook.event} is ${detail}; this copy never does.`, hook.id),
    ),
  );
}

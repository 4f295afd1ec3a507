import { isDeepStrictEqual } from "node:util";
import { reviewTrust, type TrustEntry, type TrustPorts } from "../../engine/internal.ts";
import type { PlannedEntry, ScopeFiles } from "../../install/internal.ts";
import { appInputs } from "../../sdk/internal.ts";
import type { Io } from "../command-line/command.ts";

/** How many entries are approved, and which cannot be, with the reason. */
export interface ApprovalResult {
  readonly approved: number;
  readonly refused: readonly { readonly event: string; readonly why: string }[];
}

/** Approves the entries that install wrote into a project. Entries in the user's own settings need no approval. */
export async function approveEntries(
  places: ScopeFiles,
  planned: readonly PlannedEntry[],
  io: Io,
): Promise<ApprovalResult> {
  if (places.scope === "user") return { approved: 0, refused: [] };
  const review = await reviewIn(places, io, { inputsOf: appInputs });
  const isOurs = ({ kind, file, event, definition }: TrustEntry) =>
    kind === "hook" &&
    file === places.settingsFile &&
    planned.some(
      (one) => one.event === event && isDeepStrictEqual(one.group.hooks[0], (definition as { hook: unknown }).hook),
    );
  if (review.refused !== undefined)
    return { approved: 0, refused: planned.map(({ event }) => ({ event, why: review.refused ?? "" })) };
  const ours = review.entries.filter(isOurs);
  const open = ours.filter(({ state, digest }) => state !== "trusted" && digest !== undefined);
  if (open.length > 0) await review.pin(open);
  const refused = ours.filter(({ digest }) => digest === undefined);
  return {
    approved: ours.length - refused.length,
    refused: refused.map(({ event = "", unusable = "" }) => ({ event, why: unusable })),
  };
}

/**
 * Does `work` and revokes the approvals of what it removes from the settings of a project: a hook that is added later does not replace
 * them.
 */
export async function revokingRemoved<Result>(places: ScopeFiles, io: Io, work: () => Promise<Result>) {
  if (places.scope === "user") return work();
  const before = await reviewIn(places, io, {});
  const result = await work();
  const left = (await reviewIn(places, io, {})).entries.map(({ definition }) => definition);
  await before.revoke(before.entries.filter((entry) => !left.some((one) => isDeepStrictEqual(one, entry.definition))));
  return result;
}

function reviewIn({ root }: ScopeFiles, { home, env }: Io, ports: TrustPorts) {
  return reviewTrust({ cwd: root, home, env }, ports);
}

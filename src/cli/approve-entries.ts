import { isDeepStrictEqual } from "node:util";
import { reviewTrust, type TrustEntry } from "../engine/internal.ts";
import type { PlannedEntry, ScopePlaces } from "../install/internal.ts";
import { appInputs } from "../sdk/internal.ts";
import type { Io } from "./command-line/command.ts";

/** What came of approving the entries: how many are approved now, and which cannot be, and why. */
export interface Approval {
  readonly approved: number;
  readonly refused: readonly { readonly event: string; readonly why: string }[];
}

/** The person's own settings need no approval; what lies in the project does, and only what we wrote is approved. */
export async function approve(places: ScopePlaces, planned: readonly PlannedEntry[], io: Io): Promise<Approval> {
  if (places.scope === "user") return { approved: 0, refused: [] };
  const review = await reviewTrust({ cwd: places.root, home: io.home, env: io.env }, { inputsOf: appInputs });
  const isOurs = ({ kind, file, event, definition }: TrustEntry) =>
    kind === "hook" &&
    file === places.settingsFile &&
    planned.some(
      (one) => one.event === event && isDeepStrictEqual(one.group.hooks[0], (definition as { hook: unknown }).hook),
    );
  // What is installed stays so; that it waits for approval is said.
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

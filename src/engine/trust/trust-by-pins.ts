import { dirname, join } from "node:path";
import type { Warning } from "../../protocol/internal.ts";
import type { ConfiguredHook, Layer } from "../settings/layer.ts";
import { nameOf } from "../settings/read-layer.ts";
import type { Snapshot } from "../settings/snapshot.ts";
import { type Coverage, coverageOf } from "./coverage/coverage.ts";
import type { Checkout, NamedFile } from "./coverage/gather-files.ts";
import { importedFiles } from "./files-by-name.ts";
import { checkoutAt, pinFilesOf, readPins, type TrustPlaces } from "./pin-store.ts";
import { type ApprovableItem, approvableItems, noPins, type Pin } from "./pins.ts";
import type { SeenFiles } from "./start-trust.ts";
import {
  disablesOtherHooks,
  type HookTrustStatus,
  howToApprove,
  isOfCheckout,
  needsOwnPin,
  notApproved,
  type Trust,
  type TrustedKey,
  type TrustStatus,
  trusted,
} from "./trust-state.ts";

/** What the checkout brings counts if exactly it was approved. */
export async function pinnedTrust(snapshot: Snapshot, places: TrustPlaces): Promise<Trust> {
  const checkout = await checkoutAt(places);
  const known = await readPins(places, checkout.real);
  const pins = "pins" in known ? known.pins : noPins(checkout.real);
  const found = new Map(approvableItems(snapshot, pins.grants).map((one) => [one.id, one]));
  const standings = trustLookups([...found.values()], pins.pins, checkout);
  const standing = (id: string, cwd?: string): HookTrustStatus => standings.get(id)?.(cwd) ?? notApproved;
  return {
    ofHook: ({ layer, ref }: ConfiguredHook, cwd) => (isOfCheckout(layer) ? standing(ref.id, cwd) : trusted),
    ofKey(layer: Layer, key: TrustedKey) {
      const id = `${layer.kind}:${key}`;
      return isOfCheckout(layer) && found.has(id) ? standing(id) : trusted;
    },
    ofPinnable: (id) => standing(id),
    writtenGrants: ({ kind }) => pins.grants.filter(({ layer }) => layer === kind),
    depends: found.size > 0,
    howToApprove: howToApprove,
    files: pinFilesOf([checkout.real], places),
    warnings: [
      ...("refused" in known && found.size > 0 ? [refusedStore(known.refused)] : []),
      ...[...found.values()].filter(({ kind }) => kind !== "hook").flatMap((one) => waiting(one, standing(one.id))),
    ],
  };
}

/** One acceptance of the folder, or of one around it, lets every hook of every layer run. */
export async function workspaceTrust(places: TrustPlaces): Promise<Trust> {
  const { real } = await checkoutAt(places);
  const folders = foldersUp(real);
  const known = await Promise.all(folders.map((folder) => readPins(places, folder, real)));
  const accepted = known.some((one) => "pins" in one && one.pins.accepted !== undefined);
  const detail = `the folder ${real} has not been accepted yet`;
  const standing: TrustStatus = accepted ? trusted : { state: "new", detail };
  return {
    ofHook: () => standing,
    ofKey: (layer, key) => (disablesOtherHooks(layer, key) ? needsOwnPin : standing),
    ofPinnable: () => standing,
    writtenGrants: () => [],
    depends: true,
    howToApprove: "hookline trust --workspace accepts it",
    files: pinFilesOf(folders, places),
    warnings: known.flatMap((one) => ("refused" in one ? [refusedStore(one.refused)] : [])),
  };
}

function foldersUp(folder: string): readonly string[] {
  return dirname(folder) === folder ? [folder] : [folder, ...foldersUp(dirname(folder))];
}

export type TrustLookup = (cwd?: string) => HookTrustStatus;

/** How each stands, by its id, to be asked when it is about to have its effect. */
export function trustLookups(
  all: readonly ApprovableItem[],
  pins: readonly Pin[],
  checkout: Checkout,
): ReadonlyMap<string, TrustLookup> {
  const definitions = new Set(all.map(({ definition }) => definition));
  // An approval of an item that still exists does not apply to a new item at its old place.
  const orphans = pins.filter(({ definition }) => !definitions.has(definition));
  return new Map(
    all.map((one): [string, TrustLookup] => {
      const approvals = pins.filter(({ definition }) => definition === one.definition);
      if (approvals.length > 0) return [one.id, (cwd) => standingNow(one, approvals, checkout, cwd)];
      const replaced = orphans.some(({ place }) => place === one.place);
      const standing: TrustStatus = replaced
        ? { state: "changed", detail: "it is not what was approved in its place" }
        : notApproved;
      return [one.id, () => standing];
    }),
  );
}

/** The definition was approved; whether the files are still those that were. */
function standingNow(
  one: ApprovableItem,
  pins: readonly Pin[],
  checkout: Checkout,
  cwd = checkout.real,
): HookTrustStatus {
  if (one.command === undefined) return trusted;
  const lookedAt = Date.now();
  const now = coverageOf(one.command, checkout);
  if ("unusable" in now) return changed(now.unusable);
  const differences = pins.map((pin) => differenceFrom(pin, now, checkout));
  const approved = pins[differences.indexOf(undefined)]?.files;
  if (approved === undefined) return changed(differences[0] ?? "");
  const seen = (places: SeenFiles["places"]): HookTrustStatus => ({
    ...trusted,
    seen: { places, lookedAt, root: checkout.real },
  });
  if (cwd === checkout.real || cwd === checkout.cwd) return seen(now.places);
  // Started in another folder, the same words may mean other files.
  const there = coverageOf(one.command, checkout, { from: cwd });
  if ("unusable" in there) return changed(there.unusable);
  const stranger = there.files.find(
    ({ path, sha256 }) => !approved.some((a) => a.path === path && a.sha256 === sha256),
  );
  return stranger === undefined
    ? seen(new Map([...now.places, ...there.places]))
    : changed(`in ${cwd} it names ${stranger.path}, which was not approved with it`);
}

function changed(detail: string): TrustStatus {
  return { state: "changed", detail };
}

/** In words, the first thing that is not as it was approved; undefined when all of it is. */
function differenceFrom({ files: approved, covers }: Pin, now: Coverage, checkout: Checkout): string | undefined {
  const isCovered = ({ path }: NamedFile): boolean => now.files.some((file) => file.path === path);
  const further = importedFiles(
    approved.filter((file) => file.imported && !isCovered(file)).map(({ path }) => join(checkout.real, path)),
    checkout,
  );
  if ("unusable" in further) return further.unusable;
  const different = differingFile([...now.files, ...further.filter((file) => !isCovered(file))], approved);
  if (different === undefined) return undefined;
  if (covers === undefined && !approved.some(({ path }) => path === different))
    return `an older version of Hookline approved it without ${different}, which it can run too; approve it again`;
  return `${different} is not as it was approved`;
}

/** The first file that one side has and the other has not, or not so. */
function differingFile(now: readonly NamedFile[], then: readonly NamedFile[]): string | undefined {
  const hashes = (files: readonly NamedFile[]) => new Map(files.map(({ path, sha256 }) => [path, sha256]));
  const [nowBy, thenBy] = [hashes(now), hashes(then)];
  const differs = ({ path }: NamedFile): boolean => nowBy.get(path) !== thenBy.get(path);
  return (now.find(differs) ?? then.find(differs))?.path;
}

function refusedStore(why: string): Warning {
  return {
    code: "trust-store-refused",
    message: `Nothing of this folder counts as approved: ${why.replace(/\.$/, "")}.`,
  };
}

function waiting({ layer, kind, id }: ApprovableItem, { state, detail }: TrustStatus): readonly Warning[] {
  if (state === "trusted") return [];
  const message = `${kind} in ${nameOf(layer)} has no effect on its own in Hookline's hosts: ${detail}. ${howToApprove}. Claude Code does not ask for this approval.`;
  return [{ code: "not-trusted", message, place: id }];
}

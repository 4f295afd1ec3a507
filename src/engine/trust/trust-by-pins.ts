import { join } from "node:path";
import type { Warning } from "../../protocol/internal.ts";
import { isOfCheckout, type Layer, nameOf } from "../settings/layer.ts";
import type { Snapshot } from "../settings/snapshot.ts";
import { type Coverage, coverageOf } from "./coverage/coverage.ts";
import type { Checkout, NamedFile } from "./coverage/gather-files.ts";
import { foldersUp } from "./coverage/javascript.ts";
import { importedFiles } from "./files-by-name.ts";
import { checkoutAt, pinFilesOf, readPins, type TrustPlaces } from "./pin-store.ts";
import { type ApprovableItem, approvableItems, placeOf } from "./pins.ts";
import {
  type ComparedFiles,
  type HookTrustStatus,
  howToApprove,
  notApproved,
  type Pin,
  type Trust,
  type TrustedKey,
  type TrustStatus,
  trustAsWhole,
  trusted,
} from "./trust-state.ts";

/** Trust by item: each item of the checkout counts if it was approved in its current state. */
export async function pinnedTrust(snapshot: Snapshot, places: TrustPlaces): Promise<Trust> {
  const checkout = await checkoutAt(places);
  const { pins, refused } = await readPins(places, checkout.real);
  const items = new Map(approvableItems(snapshot, pins.grants).map((item) => [item.id, item]));
  const lookups = trustLookups([...items.values()], pins.pins, checkout);
  const approvedInstead = replacedPins(snapshot, [...items.values()], pins.pins);
  const statusOf = (id: string, cwd?: string): HookTrustStatus =>
    lookups.get(id)?.(cwd) ?? (approvedInstead.has(id) ? replaced : notApproved);
  return {
    ofHook: ({ layer, ref }, cwd) => (isOfCheckout(layer) ? statusOf(ref.id, cwd) : trusted),
    ofKey(layer: Layer, key: TrustedKey) {
      const id = `${layer.kind}:${key}`;
      return isOfCheckout(layer) && items.has(id) ? statusOf(id) : trusted;
    },
    approvedInstead,
    writtenGrants: pins.grants,
    depends: items.size > 0 || approvedInstead.size > 0,
    howToApprove,
    files: pinFilesOf([checkout.real], places),
    warnings: [
      ...(items.size > 0 ? storeWarnings(refused) : []),
      ...[...items.values()]
        .filter(({ kind }) => kind !== "hook")
        .flatMap((item) => notTrusted(item, statusOf(item.id))),
    ],
  };
}

/** Trust by folder: hooks of all layers run if the folder or one of its parents was accepted. */
export async function workspaceTrust(places: TrustPlaces): Promise<Trust & { readonly ofFolder: TrustStatus }> {
  const { real } = await checkoutAt(places);
  const folders = foldersUp(real);
  const stored = await Promise.all(folders.map((folder) => readPins(places, folder, real)));
  const isAccepted = stored.some(({ pins }) => pins.accepted !== undefined);
  const detail = `the directory ${real} has not been accepted yet`;
  const ofFolder: TrustStatus = isAccepted ? trusted : { state: "new", detail };
  return {
    ...trustAsWhole(ofFolder),
    ofFolder,
    depends: true,
    howToApprove: "run hookline trust --workspace",
    files: pinFilesOf(folders, places),
    warnings: stored.flatMap(({ refused }) => storeWarnings(refused)),
  };
}

type TrustLookup = (cwd?: string) => HookTrustStatus;

/** A function for each item, by its id, that determines its current status. */
export function trustLookups(items: readonly ApprovableItem[], pins: readonly Pin[], checkout: Checkout) {
  const orphans = orphanPins(items, pins);
  return new Map(
    items.map((item): [string, TrustLookup] => {
      const approvals = pins.filter(({ definition }) => definition === item.definition);
      if (approvals.length > 0) return [item.id, (cwd) => compareFiles(item, approvals, checkout, cwd)];
      const status = orphans.some((pin) => isAt(pin, item.place)) ? replaced : notApproved;
      return [item.id, () => status];
    }),
  );
}

/** Approvals of items that do not exist any more. An approval of one that does is not for a new item at its old place. */
function orphanPins(items: readonly ApprovableItem[], pins: readonly Pin[]): readonly Pin[] {
  const definitions = new Set(items.map(({ definition }) => definition));
  return pins.filter(({ definition }) => !definitions.has(definition));
}

/** Whether something was approved at this place or, for a group or list that cannot be used, inside it. */
function isAt({ place: approved }: Pin, place: string): boolean {
  return approved === place || [".", ":"].some((sign) => approved.startsWith(`${place}${sign}`));
}

/** The approved hooks in whose place there is another one now, by the id of that one. */
function replacedPins(
  snapshot: Snapshot,
  items: readonly ApprovableItem[],
  pins: readonly Pin[],
): Trust["approvedInstead"] {
  const approved = new Set(pins.map(({ definition }) => definition));
  const orphans = orphanPins(items, pins);
  const unusable = [...snapshot.unusable.values()].flat().filter(({ layer }) => isOfCheckout(layer));
  const now = [
    ...items.filter(({ kind, definition }) => kind === "hook" && !approved.has(definition)),
    ...unusable.map(({ ref: { id } }) => ({ id, place: placeOf(id) })),
  ];
  const found = now.map(({ id, place }) => [id, orphans.filter((pin) => isAt(pin, place))] as const);
  return new Map(found.filter(([, before]) => before.length > 0));
}

/** The status of an item whose definition was approved: whether its files are the approved ones. */
function compareFiles(
  { command }: ApprovableItem,
  pins: readonly Pin[],
  checkout: Checkout,
  cwd = checkout.real,
): HookTrustStatus {
  if (command === undefined) return trusted;
  const comparedAt = Date.now();
  const coverage = coverageOf(command, checkout);
  if ("unusable" in coverage) return changed(coverage.unusable);
  const differences = pins.map((pin) => differenceFrom(pin, coverage, checkout));
  const approved = pins[differences.indexOf(undefined)]?.files;
  if (approved === undefined) return changed(differences[0] ?? "");
  const trustedWith = (places: ComparedFiles["places"]): HookTrustStatus => ({
    ...trusted,
    compared: { places, comparedAt, root: checkout.real },
  });
  if (cwd === checkout.real || cwd === checkout.cwd) return trustedWith(coverage.places);
  // In another folder the same command may name other files.
  const coverageInCwd = coverageOf(command, checkout, { from: cwd });
  if ("unusable" in coverageInCwd) return changedIn(cwd, coverageInCwd.unusable);
  const unapproved = coverageInCwd.files.find(
    ({ path, sha256 }) => !approved.some((file) => file.path === path && file.sha256 === sha256),
  );
  if (unapproved !== undefined) return changedIn(cwd, `it names ${unapproved.path}, which was not approved with it`);
  return trustedWith(new Map([...coverage.places, ...coverageInCwd.places]));
}

function changed(detail: string): TrustStatus {
  return { state: "changed", detail };
}

const replaced = changed("it differs from the approved definition");

/** An approval covers the files that the command names in the checkout's own folder, so it cannot help here. */
function changedIn(cwd: string, detail: string): TrustStatus {
  const remedy =
    "write it so that it uses the same files in every directory, for example with ${CLAUDE_PROJECT_DIR}/ before a path";
  return { ...changed(`in ${cwd} ${detail}`), remedy };
}

/** Describes the first difference from the approved files; undefined when there is none. */
function differenceFrom({ files: approved }: Pin, coverage: Coverage, checkout: Checkout): string | undefined {
  const isCovered = ({ path }: NamedFile): boolean => coverage.files.some((file) => file.path === path);
  const imported = importedFiles(
    approved.filter((file) => file.imported && !isCovered(file)).map(({ path }) => join(checkout.real, path)),
    checkout,
  );
  if ("unusable" in imported) return imported.unusable;
  const different = differingFile([...coverage.files, ...imported.filter((file) => !isCovered(file))], approved);
  return different && `${different} has changed since it was approved`;
}

/** The first file that is in only one of the lists, or has different content. */
function differingFile(current: readonly NamedFile[], approved: readonly NamedFile[]): string | undefined {
  const hashes = (files: readonly NamedFile[]) => new Map(files.map(({ path, sha256 }) => [path, sha256]));
  const [currentHashes, approvedHashes] = [hashes(current), hashes(approved)];
  const differs = ({ path }: NamedFile): boolean => currentHashes.get(path) !== approvedHashes.get(path);
  return (current.find(differs) ?? approved.find(differs))?.path;
}

function storeWarnings(refused: string | undefined): readonly Warning[] {
  if (refused === undefined) return [];
  const message = `Nothing in this directory counts as approved: ${refused.replace(/\.$/, "")}.`;
  return [{ code: "trust-store-refused", message }];
}

function notTrusted({ layer, kind, id }: ApprovableItem, { state, detail }: TrustStatus): readonly Warning[] {
  if (state === "trusted") return [];
  const effect = untrustedEffects[kind] ?? "is ignored by Hookline";
  const why = state === "new" ? "" : `: ${detail}`;
  const message = `\`${kind}\` in ${nameOf(layer)} ${effect} until you approve it (\`npx hookline trust\`)${why}. Claude Code uses it without this approval.`;
  return [{ code: "not-trusted", message, place: id }];
}

const ownHooksOnly = "affects only the project's own hooks";

/** The effect of keys that have one without an approval. */
const untrustedEffects: Partial<Record<ApprovableItem["kind"], string>> = {
  permissions: "has only the effect of its restrictions",
  disableAllHooks: ownHooksOnly,
  allowedHttpHookUrls: ownHooksOnly,
  httpHookAllowedEnvVars: ownHooksOnly,
};

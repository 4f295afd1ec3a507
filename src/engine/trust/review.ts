import { checkNamed, defined, messageOf, mustBe, type Warning } from "../../protocol/internal.ts";
import { checkEngineOptions } from "../check-engine-options.ts";
import { openSettings } from "../live/effective-settings.ts";
import { type EngineOptions, resolveOptions } from "../options.ts";
import { coverageOf } from "./coverage/coverage.ts";
import type { Checkout, NotCovered, OnBytes } from "./coverage/gather-files.ts";
import { hooksFilesOf, importedFiles } from "./files-by-name.ts";
import { changePins, checkoutAt, dropPins, readPins, type TrustPlaces } from "./pin-store.ts";
import { type ApprovableItem, approvableItems, type Pins, pinDigest } from "./pins.ts";
import { approvableServer, checkoutServers } from "./server-trust.ts";
import { trustLookups } from "./trust-by-pins.ts";
import {
  notApproved,
  type Pin,
  type PinnedFile,
  type TrustState,
  type TrustStatus,
  type WrittenGrant,
} from "./trust-state.ts";

/** A part of a directory that has an effect only after it was approved, in its current state. */
export interface TrustEntry {
  readonly id: string;
  /** `hook`, `mcpServer`, or a key of the settings file. */
  readonly kind: ApprovableItem["kind"];
  readonly event?: string;
  /** The settings file that contains it. */
  readonly file?: string;
  readonly state: TrustState;
  readonly detail: string;
  /** The hash of definition and files, as `sha256:…`. Absent when it cannot be approved. */
  readonly digest?: string;
  readonly definition: unknown;
  /** Files that an approval covers in addition to the definition. */
  readonly files: readonly ReviewedFile[];
  /** Things that it may run and that an approval does not cover. */
  readonly notCovered: readonly NotCovered[];
  /** The state that was approved, when it has changed since. */
  readonly before?: { readonly definition: unknown; readonly files: readonly PinnedFile[] };
  /** Why it cannot be approved. */
  readonly unusable?: string;
}

/** A file that an approval would cover, with its size, as listed by `reviewTrust`. */
export interface ReviewedFile extends PinnedFile {
  readonly sizeBytes: number;
}

/** Everything in a directory that needs an approval, and the functions to approve or revoke it. */
export interface TrustReview {
  /** The real path of the folder. Approvals belong to this path. */
  readonly project: string;
  /** The time when the folder as a whole was accepted. */
  readonly accepted?: string;
  /** Why earlier approvals do not count. Nothing can be approved until they are revoked. */
  readonly refused?: string;
  readonly entries: readonly TrustEntry[];
  /** Settings that cannot be read or used: what they contain is missing in `entries`. */
  readonly warnings: readonly Warning[];
  /** Approves entries as they were reviewed, even if files have changed since. Throws a `Problem` when `refused` is set. */
  pin(entries: readonly TrustEntry[]): Promise<void>;
  /** Accepts the folder as a whole, for hosts that trust folders. */
  accept(): Promise<void>;
  /** Deletes the approvals of these entries, or every approval of the folder; false when there was none. */
  revoke(entries?: readonly TrustEntry[]): Promise<boolean>;
}

/** Functions that the caller of `reviewTrust` can provide. */
export interface TrustPorts {
  /** Lists a hooks file and everything it imports from its own tree. With it, the approval of a hook that calls an app covers all files of the app. */
  readonly inputsOf?: (hooksFile: string) => Promise<readonly string[]>;
}

/** Lists everything in a folder that needs an approval. Starts nothing and writes nothing. */
export async function reviewTrust(options: EngineOptions, ports: TrustPorts = {}): Promise<TrustReview> {
  checkEngineOptions(options, "reviewTrust");
  checkNamed("the ports of reviewTrust", ports, { inputsOf: mustBe.function }, "engine/bad-option");
  const resolved = resolveOptions({ ...options, trust: "pinned" });
  const checkout = await checkoutAt(resolved);
  const { pins, refused } = await readPins(resolved, checkout.real);
  const opened = await openSettings(resolved);
  const servers = (await checkoutServers(checkout)).map((server) => approvableServer(server, checkout));
  const items = [...approvableItems(opened.asWritten(), pins.grants), ...servers];
  const lookups = trustLookups(items, pins.pins, checkout);
  const statusOf = (id: string): TrustStatus => lookups.get(id)?.() ?? notApproved;
  return {
    project: checkout.real,
    ...defined({ accepted: pins.accepted, refused }),
    entries: await Promise.all(items.map((item) => entryOf(item, statusOf(item.id), pins, checkout, ports))),
    warnings: opened.current().warnings.filter(({ code }) => code === "settings-unreadable"),
    pin: (entries) => changePins(resolved, checkout.real, (current) => withEntries(current, entries, items)),
    accept: () =>
      changePins(resolved, checkout.real, (current) => ({ ...current, accepted: new Date().toISOString() })),
    async revoke(entries) {
      if (entries === undefined) return dropPins(resolved, checkout.real);
      const ids = new Set(entries.map(({ id }) => id));
      // An approval belongs to the item that was approved or, if that was changed since, to the one in its place.
      const isRevoked = (pin: Pin): boolean => {
        const same = items.filter(({ definition }) => definition === pin.definition);
        const owners = same.length > 0 ? same : items.filter(({ place }) => place === pin.place);
        return owners.some(({ id }) => ids.has(id));
      };
      if (!pins.pins.some(isRevoked)) return false;
      await changePins(resolved, checkout.real, (current) => ({
        ...current,
        pins: current.pins.filter((pin) => !isRevoked(pin)),
      }));
      return true;
    },
  };
}

/** Approves single permission grants that the user just had written into a settings file of the checkout. */
export async function approveGrants(options: EngineOptions, grants: readonly WrittenGrant[]): Promise<void> {
  checkEngineOptions(options, "approveGrants");
  const places: TrustPlaces = resolveOptions(options);
  const { real } = await checkoutAt(places);
  const key = ({ layer, list, value }: WrittenGrant): string => JSON.stringify([layer, list, value]);
  await changePins(places, real, (pins) => {
    const all = new Map([...pins.grants, ...grants].map((grant) => [key(grant), grant]));
    return { ...pins, grants: [...all.values()] };
  });
}

async function entryOf(
  item: ApprovableItem,
  { state, detail }: TrustStatus,
  pins: Pins,
  checkout: Checkout,
  ports: TrustPorts,
): Promise<TrustEntry> {
  const covered = await coveredFiles(item, checkout, ports);
  const before = state === "changed" ? approvedBefore(item, pins.pins) : undefined;
  const { id, kind, event, layer } = item;
  const definition: unknown = JSON.parse(item.definition);
  const entry = {
    id,
    kind,
    ...defined({ event, file: layer.file }),
    state,
    detail,
    definition,
    ...defined({ before }),
  };
  if ("unusable" in covered) return { ...entry, files: [], notCovered: [], unusable: covered.unusable };
  return { ...entry, ...covered, digest: pinDigest(item.definition, covered.files) };
}

async function coveredFiles(
  { command }: ApprovableItem,
  checkout: Checkout,
  ports: TrustPorts,
): Promise<Pick<TrustEntry, "files" | "notCovered"> | { unusable: string }> {
  if (command === undefined) return { files: [], notCovered: [] };
  const contents = new Map<string, Buffer>();
  const onBytes: OnBytes = (path, bytes) => void contents.set(path, bytes);
  const covered = coverageOf(command, checkout, { onBytes });
  if ("unusable" in covered) return covered;
  const imports = await importsOf(hooksFilesOf(command, covered), checkout, onBytes, ports);
  if ("unusable" in imports) return imports;
  const further = imports.filter(({ path }) => !covered.files.some((file) => file.path === path));
  const files = [...covered.files, ...further.map((file) => ({ ...file, imported: true as const }))];
  return {
    notCovered: covered.notCovered,
    files: files.map((file) => {
      const bytes = contents.get(file.path) ?? Buffer.alloc(0);
      return { ...file, sizeBytes: bytes.length, ...defined({ text: textOf(bytes) }) };
    }),
  };
}

/** For a hook that calls an app of the checkout: the files that the app imports. */
async function importsOf(hooksFiles: readonly string[], checkout: Checkout, onBytes: OnBytes, ports: TrustPorts) {
  const { inputsOf } = ports;
  if (inputsOf === undefined) return [];
  try {
    const inputs = await Promise.all(hooksFiles.map((file) => withTimeout(inputsOf(file))));
    return importedFiles(inputs.flat(), checkout, onBytes);
  } catch (error) {
    return { unusable: `its imports cannot be determined: ${messageOf(error)}` };
  }
}

const timeoutMs = 10_000;

/** A file may be a pipe, from which reading never ends. */
function withTimeout<Value>(work: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took longer than ${timeoutMs / 1_000} s`)), timeoutMs);
  });
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}

const maxTextBytes = 256 * 1024;

function textOf(bytes: Buffer): string | undefined {
  if (bytes.length > maxTextBytes) return undefined;
  const text = bytes.toString("utf8");
  return Buffer.from(text).equals(bytes) ? text : undefined;
}

/** The approval of the same definition, or else of the same place. */
function approvedBefore(item: ApprovableItem, pins: readonly Pin[]): TrustEntry["before"] {
  const pin =
    pins.find(({ definition }) => definition === item.definition) ?? pins.find(({ place }) => place === item.place);
  return pin && { definition: JSON.parse(pin.definition), files: pin.files };
}

const maxPins = 1_000;

function withEntries(current: Pins, entries: readonly TrustEntry[], items: readonly ApprovableItem[]): Pins {
  const at = new Date().toISOString();
  const added = entries.flatMap((entry): Pin[] => {
    const item = items.find(({ id }) => id === entry.id);
    if (item === undefined || entry.digest === undefined) return [];
    const { place, definition } = item;
    const files = entry.files.map(({ sizeBytes: _, ...file }) => file);
    const digest = pinDigest(definition, files);
    return [{ place, digest, definition, files, at }];
  });
  // The pin of an item that has moved stays valid, even if another item is at its old place now.
  const kept = current.pins
    .map((pin) => ({ ...pin, place: currentPlace(pin, items) }))
    .filter((pin) => !added.some(({ place, definition }) => place === pin.place || definition === pin.definition));
  return { ...current, pins: limitTexts([...kept, ...added].slice(-maxPins)) };
}

/** The place of the approved item. It moves when hooks before it are added or removed. */
function currentPlace({ place, definition }: Pin, items: readonly ApprovableItem[]): string {
  const places = items.filter((item) => item.definition === definition).map((item) => item.place);
  return places.includes(place) ? place : (places[0] ?? place);
}

const maxTotalText = 2 * 1024 * 1024;

/** Removes the oldest texts over the limit. They are only for showing changes; the approvals stay. */
function limitTexts(pins: readonly Pin[]): readonly Pin[] {
  let left = maxTotalText;
  return pins
    .toReversed()
    .map((pin) => ({
      ...pin,
      files: pin.files.map(({ text, ...file }) => {
        left -= text?.length ?? 0;
        return text === undefined || left < 0 ? file : { ...file, text };
      }),
    }))
    .toReversed();
}

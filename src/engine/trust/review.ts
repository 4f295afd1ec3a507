import { messageOf } from "../../protocol/internal.ts";
import { openSettings } from "../live/reload-settings.ts";
import { type EngineOptions, resolveOptions } from "../options.ts";
import { type Coverage, coverageOf } from "./coverage/coverage.ts";
import type { Checkout, NamedFile, NotCovered } from "./coverage/gather-files.ts";
import { hooksFilesOf, importedFiles } from "./files-by-name.ts";
import { changePins, checkoutAt, dropPins, readPins, type TrustPlaces } from "./pin-store.ts";
import {
  type ApprovableItem,
  approvableItems,
  noPins,
  type Pin,
  type PinnedFile,
  type Pins,
  pinDigest,
  pinsVersion,
  type WrittenGrant,
} from "./pins.ts";
import { checkoutServers, pinnableServer } from "./server-trust.ts";
import { trustLookups } from "./trust-by-pins.ts";
import type { TrustState, TrustStatus } from "./trust-state.ts";

/** One thing a folder brings that has an effect only if it was approved, as it is now. */
export interface TrustEntry {
  readonly id: string;
  /** `hook`, `mcpServer`, or the key of the settings file. */
  readonly kind: ApprovableItem["kind"];
  readonly event?: string;
  /** The settings file that contains it. */
  readonly file?: string;
  readonly state: TrustState;
  readonly detail: string;
  /** Of definition and files together, as `sha256:…`; absent when it cannot be approved. */
  readonly digest?: string;
  readonly definition: unknown;
  /** What an approval covers in addition to the definition. */
  readonly files: readonly ReviewedFile[];
  /** Each path, package or form that it may run and that an approval does not cover, and why. */
  readonly notCovered: readonly NotCovered[];
  /** What was approved in its place, when something else was. */
  readonly before?: { readonly definition: unknown; readonly files: readonly PinnedFile[] };
  /** Why it cannot be approved. */
  readonly unusable?: string;
}

export interface ReviewedFile extends PinnedFile {
  readonly sizeBytes: number;
}

/** What a folder would have in force, and the ways to decide about it. */
export interface TrustReview {
  /** The folder's real path, which approvals are kept under. */
  readonly project: string;
  /** Since when the folder as a whole is accepted. */
  readonly accepted?: string;
  /** Why nothing that was approved counts, and nothing can be approved until it is revoked. */
  readonly refused?: string;
  readonly entries: readonly TrustEntry[];
  /** Approves entries exactly as they were reviewed, whatever has happened to the files since. With `refused`, a `Problem`. */
  pin(entries: readonly TrustEntry[]): Promise<void>;
  /** Accepts the folder, for hosts that trust folders as a whole. */
  accept(): Promise<void>;
  /** Forgets every approval of the folder; false when there was none. */
  revoke(): Promise<boolean>;
}

/** What only another module can tell. */
export interface TrustPorts {
  /** A hooks file and everything it imports from its own tree. With it, an approval of a call of an app is one of all its files. */
  readonly inputsOf?: (hooksFile: string) => Promise<readonly string[]>;
}

/** Looks at what a folder brings. Starts nothing and writes nothing. */
export async function reviewTrust(options: EngineOptions, ports: TrustPorts = {}): Promise<TrustReview> {
  const resolved = resolveOptions({ ...options, trust: "pinned" });
  const checkout = await checkoutAt(resolved);
  const known = await readPins(resolved, checkout.real);
  const settings = await openSettings(resolved);
  const pins = "pins" in known ? known.pins : noPins(checkout.real);
  const { trust } = settings.inForce();
  const ofSettings = approvableItems(settings.inForce(), pins.grants);
  const servers = (await checkoutServers(checkout)).map((server) => pinnableServer(server, checkout));
  const serverStandings = trustLookups(servers, pins.pins, checkout);
  const standing = (id: string): TrustStatus => serverStandings.get(id)?.() ?? trust.ofPinnable(id);
  const found = [...ofSettings, ...servers];
  return {
    project: checkout.real,
    ...(pins.accepted === undefined ? {} : { accepted: pins.accepted }),
    ...("refused" in known ? { refused: known.refused } : {}),
    entries: await Promise.all(found.map((one) => entryOf(one, standing(one.id), pins, checkout, ports))),
    pin: (entries) => changePins(resolved, checkout.real, (now) => withPins(now, entries, found)),
    accept: () => changePins(resolved, checkout.real, (now) => ({ ...now, accepted: new Date().toISOString() })),
    revoke: () => dropPins(resolved, checkout.real),
  };
}

/** Approves grants that a person just had written into a file of the checkout: those entries alone. */
export async function approveGrants(options: EngineOptions, grants: readonly WrittenGrant[]): Promise<void> {
  const places: TrustPlaces = resolveOptions(options);
  const { real } = await checkoutAt(places);
  const key = ({ layer, list, value }: WrittenGrant): string => JSON.stringify([layer, list, value]);
  await changePins(places, real, (pins) => {
    const all = new Map([...pins.grants, ...grants].map((grant) => [key(grant), grant]));
    return { ...pins, grants: [...all.values()] };
  });
}

async function entryOf(
  one: ApprovableItem,
  { state, detail }: TrustStatus,
  pins: Pins,
  checkout: Checkout,
  ports: TrustPorts,
): Promise<TrustEntry> {
  const looked = await lookedAt(one, checkout, ports);
  const before = state === "changed" ? approvedBefore(one, pins.pins) : undefined;
  return {
    id: one.id,
    kind: one.kind,
    ...(one.event === undefined ? {} : { event: one.event }),
    ...(one.layer.file === undefined ? {} : { file: one.layer.file }),
    state,
    detail,
    definition: JSON.parse(one.definition),
    ...(before === undefined ? {} : { before }),
    ...("unusable" in looked
      ? { files: [], notCovered: [], unusable: looked.unusable }
      : {
          files: looked.files,
          notCovered: looked.notCovered,
          digest: `sha256:${pinDigest(one.definition, looked.files)}`,
        }),
  };
}

async function lookedAt(
  { command }: ApprovableItem,
  checkout: Checkout,
  ports: TrustPorts,
): Promise<Pick<TrustEntry, "files" | "notCovered"> | { unusable: string }> {
  if (command === undefined) return { files: [], notCovered: [] };
  const contents = new Map<string, Buffer>();
  const onBytes = (path: string, bytes: Buffer) => void contents.set(path, bytes);
  const covered = coverageOf(command, checkout, { onBytes });
  if ("unusable" in covered) return covered;
  const imports = await importsOf(hooksFilesOf(command, covered), covered, checkout, onBytes, ports);
  if ("unusable" in imports) return imports;
  const files = [...covered.files, ...imports.map((file) => ({ ...file, imported: true as const }))];
  return {
    notCovered: covered.notCovered,
    files: files.map((file) => {
      const bytes = contents.get(file.path) ?? Buffer.alloc(0);
      const text = textOf(bytes);
      return { ...file, sizeBytes: bytes.length, ...(text === undefined ? {} : { text }) };
    }),
  };
}

/** For a hook that calls an app of the checkout: what the loader finds in addition to the covered files. */
async function importsOf(
  hooksFiles: readonly string[],
  { files }: Coverage,
  checkout: Checkout,
  onBytes: (path: string, bytes: Buffer) => void,
  { inputsOf }: TrustPorts,
): Promise<readonly NamedFile[] | { unusable: string }> {
  if (inputsOf === undefined) return [];
  try {
    const inputs = await Promise.all(hooksFiles.map((file) => inTime(inputsOf(file))));
    const found = importedFiles(inputs.flat(), checkout, onBytes);
    return "unusable" in found ? found : found.filter(({ path }) => !files.some((one) => one.path === path));
  } catch (error) {
    return { unusable: `its imports cannot be determined: ${messageOf(error)}` };
  }
}

const patienceMs = 10_000;

/** An import may lead to something that never ends. */
function inTime<Value>(work: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took longer than ${patienceMs / 1_000} s`)), patienceMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

const longestText = 256 * 1024;

function textOf(bytes: Buffer): string | undefined {
  if (bytes.length > longestText) return undefined;
  const text = bytes.toString("utf8");
  return Buffer.from(text).equals(bytes) ? text : undefined;
}

/** What was approved of the same definition, else in the same place. */
function approvedBefore(one: ApprovableItem, pins: readonly Pin[]): TrustEntry["before"] {
  const pin =
    pins.find(({ definition }) => definition === one.definition) ?? pins.find(({ place }) => place === one.place);
  return pin && { definition: JSON.parse(pin.definition), files: pin.files };
}

const mostPins = 1_000;

function withPins(now: Pins, entries: readonly TrustEntry[], found: readonly ApprovableItem[]): Pins {
  const at = new Date().toISOString();
  const fresh = entries.flatMap((entry): Pin[] => {
    const one = found.find(({ id }) => id === entry.id);
    if (one === undefined || entry.digest === undefined) return [];
    const files = entry.files.map(({ sizeBytes: _, ...file }) => file);
    const digest = `sha256:${pinDigest(one.definition, files)}`;
    return [{ place: one.place, digest, definition: one.definition, files, at, covers: pinsVersion }];
  });
  // An approval of what is still there stays with it, even if something else has its old place now.
  const old = now.pins.map((pin) => ({ ...pin, place: placeNow(pin, found) }));
  const replaced = (pin: Pin): boolean =>
    fresh.some(({ place, definition }) => place === pin.place || definition === pin.definition);
  const pins = [...old.filter((pin) => !replaced(pin)), ...fresh].slice(-mostPins);
  return { ...now, pins: withoutExcess(pins) };
}

/** Where what was approved stands now: hooks before it may have come or gone. */
function placeNow({ place, definition }: Pin, found: readonly ApprovableItem[]): string {
  const places = found.filter((one) => one.definition === definition).map((one) => one.place);
  return places.includes(place) ? place : (places[0] ?? place);
}

const mostTextInAll = 2 * 1024 * 1024;

/** Texts are for showing changes; past a bound the oldest go, the approvals stay. */
function withoutExcess(pins: readonly Pin[]): readonly Pin[] {
  let left = mostTextInAll;
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

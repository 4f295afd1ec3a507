import type { Settings, Warning } from "../../protocol/internal.ts";
import { type ConfiguredHook, isOfCheckout, type Layer } from "../settings/layer.ts";
import type { NeverOfCheckout } from "../settings/merge-layers.ts";

/** `new`: it was never approved. `changed`: it has changed since it was approved. */
export type TrustState = "trusted" | "new" | "changed";

export interface TrustStatus {
  readonly state: TrustState;
  /** What is missing; empty when it is trusted. */
  readonly detail: string;
  /** What the user can do, where an approval does not help. */
  readonly remedy?: string;
}

/** The status of a hook, with the files that were compared. They are checked again when the command is started. */
export interface HookTrustStatus extends TrustStatus {
  readonly compared?: ComparedFiles;
}

/** Files that were compared with the approved ones. */
export interface ComparedFiles {
  /** The mark of each file, by its path, from the time when it was read. */
  readonly places: ReadonlyMap<string, string>;
  /** When the comparison began, in milliseconds since 1970. */
  readonly comparedAt: number;
  /** The folder of the checkout. */
  readonly root: string;
}

/** Decides whether hooks, keys and servers of a checkout may have an effect. */
export interface Trust {
  /**
   * Contract: for a hook of the checkout, the files it names are read and compared in this call. `cwd` is the folder that it would
   * run in. Default: the checkout's own.
   */
  ofHook(hook: Pick<ConfiguredHook, "layer" | "ref">, cwd?: string): HookTrustStatus;
  ofKey(layer: Layer, key: TrustedKey): HookTrustStatus;
  /** The approved hooks in whose place there is another one now, by the id of that one. */
  readonly approvedInstead: ReadonlyMap<string, readonly Pin[]>;
  /** Grants that were approved when they were written. They count even if the permissions of their layer are not trusted. */
  readonly writtenGrants: readonly WrittenGrant[];
  /** Whether anything here depends on an approval. */
  readonly depends: boolean;
  /** Tells the user how to approve it. */
  readonly howToApprove: string;
  /** The files that hold approvals. They may not exist yet. */
  readonly files: readonly string[];
  readonly warnings: readonly Warning[];
}

/** One approval: exactly this definition with exactly these files. */
export interface Pin {
  /** The `place` of the approved item. */
  readonly place: string;
  readonly digest: string;
  readonly definition: string;
  readonly files: readonly PinnedFile[];
  /** ISO time. */
  readonly at: string;
}

/** A file that an approval covers, with its hash. */
export interface PinnedFile {
  readonly path: string;
  readonly sha256: string;
  /** Its content, if it is a text that is not too long. Used to show changes. */
  readonly text?: string;
  /** Set when the command does not name the file, but the app that it calls imports it. */
  readonly imported?: true;
}

/** A single permission grant that was approved when it was written, independent of the block that contains it. */
export interface WrittenGrant {
  readonly layer: "project" | "local";
  readonly list: "allow" | "additionalDirectories";
  readonly value: string;
}

export const trusted: TrustStatus = { state: "trusted", detail: "" };

/** Keys in the settings of a checkout that affect only its own hooks until they are trusted. */
export type TrustedKey = Exclude<keyof Settings, "hooks" | NeverOfCheckout>;

/** The effect of each key that needs trust. `hooks` are trusted one by one. */
export const trustedKeys: Readonly<Record<TrustedKey, string>> = {
  env: "gives its own hooks and the agent's commands these variables",
  statusLine: "runs this command for the status line",
  permissions: "grants these permissions",
  disableAllHooks: "switches off all hooks except managed ones",
  allowedHttpHookUrls: "restricts the URLs that http hooks may call",
  httpHookAllowedEnvVars: "restricts the variables that headers of http hooks may contain",
};

/** The grants in the lists of a layer that were approved when they were written, or those that were not. */
export function grantsOf(
  { kind, settings: { permissions = {} } }: Layer,
  approved: readonly WrittenGrant[],
  isApproved: boolean,
): Readonly<Record<WrittenGrant["list"], readonly string[]>> {
  const valuesIn = (list: WrittenGrant["list"]) => {
    const values = approved.filter((grant) => grant.layer === kind && grant.list === list).map(({ value }) => value);
    return (permissions[list] ?? []).filter((value) => values.includes(value) === isApproved);
  };
  return { allow: valuesIn("allow"), additionalDirectories: valuesIn("additionalDirectories") };
}

export const notApproved: TrustStatus = { state: "new", detail: "not approved yet" };

/** Trust in a folder lets its hooks run. To switch off hooks of other files, the key needs its own approval. */
const needsOwnPin: TrustStatus = {
  state: "new",
  detail: "it needs its own approval to affect hooks of other files",
};

/** The same status for everything. */
export function trustAsWhole(status: TrustStatus): Trust {
  return {
    ofHook: () => status,
    ofKey: (layer, key) => (key === "disableAllHooks" && isOfCheckout(layer) ? needsOwnPin : status),
    approvedInstead: new Map(),
    writtenGrants: [],
    depends: false,
    howToApprove: "",
    files: [],
    warnings: [],
  };
}

/** For hosts that trust every folder. */
export const trustEverything: Trust = trustAsWhole(trusted);

/** For settings in which no layer comes with the checkout. `files` are the ones that would hold approvals. */
export function nothingToApprove(files: readonly string[]): Trust {
  return { ...trustEverything, howToApprove, files };
}

export const howToApprove = "run hookline trust";

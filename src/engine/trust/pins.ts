import { sha256 } from "../../files/internal.ts";
import { type Hook, isObject, messageOf, type PermissionSettings } from "../../protocol/internal.ts";
import type { ConfiguredHook, Layer } from "../settings/layer.ts";
import type { Snapshot } from "../settings/snapshot.ts";
import type { NamedCommand } from "./coverage/coverage.ts";
import type { NamedFile } from "./coverage/gather-files.ts";
import { isOfCheckout, type TrustedKey, trustedKeys } from "./trust-state.ts";

/** One approval: exactly this definition with exactly these files. */
export interface Pin {
  readonly place: string;
  readonly digest: string;
  readonly definition: string;
  readonly files: readonly PinnedFile[];
  /** ISO time. */
  readonly at: string;
  /** How the covered files were found. Absent: by a version of Hookline that found fewer of them. */
  readonly covers?: typeof pinsVersion;
}

export interface PinnedFile {
  readonly path: string;
  readonly sha256: string;
  /** What it held, where that is a text of bearable length: for showing what changed. */
  readonly text?: string;
  /** Not named by the command itself: the app that it calls imports it. */
  readonly imported?: true;
}

/** What a person has said about one folder. */
export interface Pins {
  /** The folder's real path; a file that names another one says nothing. */
  readonly project: string;
  /** Since when the folder as a whole is accepted, for hosts that trust folders. */
  readonly accepted?: string;
  readonly pins: readonly Pin[];
  readonly grants: readonly WrittenGrant[];
}

export const noPins = (project: string): Pins => ({ project, pins: [], grants: [] });

/** Version 1 covered only files that the command names plainly; its approvals count where that is all there is to cover. */
export const pinsVersion = 2;

export function printPins(pins: Pins): string {
  return `${JSON.stringify({ version: pinsVersion, ...pins }, null, 1)}\n`;
}

/** Contract: what is not exactly as we write it is no approval of anything. */
export function parsePins(text: string, project: string): Pins | { readonly fault: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { fault: `it is not valid JSON (${messageOf(error)})` };
  }
  if (!isObject(value)) return { fault: "it holds no object" };
  if (value["version"] !== pinsVersion && value["version"] !== 1)
    return { fault: "another version of Hookline wrote it" };
  if (value["project"] !== project) return { fault: "it is about another folder" };
  const { accepted, pins, grants } = value;
  if (accepted !== undefined && typeof accepted !== "string") return { fault: "accepted is not a time" };
  if (!Array.isArray(pins) || !pins.every(isPin)) return { fault: "one of its pins is damaged" };
  if (!Array.isArray(grants) || !grants.every(isGrant)) return { fault: "one of its grants is damaged" };
  return { project, ...(accepted === undefined ? {} : { accepted }), pins, grants };
}

function hasTexts(value: unknown, names: readonly string[]): value is Record<string, unknown> {
  return isObject(value) && names.every((name) => typeof value[name] === "string");
}

function isPin(value: unknown): value is Pin {
  if (!hasTexts(value, ["place", "digest", "definition", "at"])) return false;
  const { files, covers } = value;
  if (covers !== undefined && covers !== pinsVersion) return false;
  return Array.isArray(files) && files.every(isPinnedFile);
}

function isPinnedFile(value: unknown): value is PinnedFile {
  if (!hasTexts(value, ["path", "sha256"])) return false;
  const { text, imported } = value;
  return (text === undefined || typeof text === "string") && (imported === undefined || imported === true);
}

function isGrant(value: unknown): value is WrittenGrant {
  if (!hasTexts(value, ["layer", "list", "value"])) return false;
  return (
    ["project", "local"].includes(String(value["layer"])) &&
    ["allow", "additionalDirectories"].includes(String(value["list"]))
  );
}

/** One thing of a checkout that has an effect only when somebody approved exactly it. */
export interface ApprovableItem {
  /** A hook's own id, `project:env`, or `.mcp.json:name`. */
  readonly id: string;
  /** The id without what depends on content: where a changed one is recognised. */
  readonly place: string;
  readonly kind: "hook" | "mcpServer" | TrustedKey;
  readonly layer: Layer;
  /** Of a hook. */
  readonly event?: string;
  /** Everything that must not change, as one text. */
  readonly definition: string;
  /** What it starts, if anything: the files that names must not change either. */
  readonly command?: NamedCommand;
}

/** One grant that was approved when it was written, apart from the block that contains it. */
export interface WrittenGrant {
  readonly layer: "project" | "local";
  readonly list: "allow" | "additionalDirectories";
  readonly value: string;
}

/** Everything a checkout brings that needs trust. Pure. */
export function approvableItems(snapshot: Snapshot, written: readonly WrittenGrant[] = []): readonly ApprovableItem[] {
  return [
    ...[...snapshot.byEvent.values()]
      .flat()
      .filter(({ layer }) => isOfCheckout(layer))
      .map(pinnableHook),
    ...snapshot.layers.filter(isOfCheckout).flatMap((layer) => pinnableKeys(layer, written)),
  ];
}

/** What an approval is of: definition and files together, the same on every machine. */
export function pinDigest(definition: string, files: readonly NamedFile[]): string {
  const said = [definition, files.map(({ path, sha256 }) => [path, sha256])];
  return sha256(JSON.stringify(said));
}

function pinnableHook({ ref, hook, layer, group, onFailure }: ConfiguredHook): ApprovableItem {
  const { frontmatter } = layer;
  // A hook that was approved inside an agent was not approved for everything.
  const within = frontmatter === undefined ? "settings" : `${frontmatter.of} ${frontmatter.name}`;
  const said = { within, event: ref.event, matcher: ref.matcher ?? "", sequential: group.sequential, onFailure, hook };
  return {
    id: ref.id,
    place: ref.id.replace(/:[0-9a-f]+$/, ""),
    kind: "hook",
    layer,
    event: ref.event,
    definition: stableJson(said),
    ...commandOf(hook, layer),
  };
}

function commandOf(hook: Hook, { plugin }: Layer): Pick<ApprovableItem, "command"> {
  if (hook.type !== "command") return {};
  return { command: { command: hook.command, args: hook.args, root: plugin?.root, shell: hook.shell } };
}

function pinnableKeys(layer: Layer, written: readonly WrittenGrant[]): readonly ApprovableItem[] {
  return (Object.keys(trustedKeys) as TrustedKey[]).flatMap((key) => {
    const value = key === "permissions" ? grantsIn(layer, written) : layer.settings[key];
    if (value === undefined || value === false) return [];
    const id = `${layer.kind}:${key}`;
    const definition = stableJson({ [key]: value });
    const { statusLine } = layer.settings;
    const command = key === "statusLine" && statusLine ? { command: { command: statusLine.command } } : {};
    return [{ id, place: id, kind: key, layer, definition, ...command }];
  });
}

/** The part of a file's permissions that grants, but for what was approved when it was written; what restricts needs nobody's word. */
function grantsIn({ kind, settings }: Layer, written: readonly WrittenGrant[]): PermissionSettings | undefined {
  const { defaultMode } = settings.permissions ?? {};
  const left = (list: WrittenGrant["list"]): readonly string[] =>
    (settings.permissions?.[list] ?? []).filter(
      (value) => !written.some((grant) => grant.layer === kind && grant.list === list && grant.value === value),
    );
  const [allow, additionalDirectories] = [left("allow"), left("additionalDirectories")];
  const grants = {
    ...(allow.length > 0 ? { allow } : {}),
    ...(additionalDirectories.length > 0 ? { additionalDirectories } : {}),
    ...(defaultMode === undefined ? {} : { defaultMode }),
  };
  return Object.keys(grants).length > 0 ? grants : undefined;
}

/** Equal values, equal text: members in one order, so that only what is said counts. */
export function stableJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (member === null || typeof member !== "object" || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

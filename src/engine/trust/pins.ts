import { sha256 } from "../../files/internal.ts";
import {
  attempt,
  defined,
  type FailurePolicy,
  type Hook,
  isObject,
  messageOf,
  type PermissionSettings,
} from "../../protocol/internal.ts";
import { type ConfiguredHook, isOfCheckout, type Layer } from "../settings/layer.ts";
import type { Snapshot } from "../settings/snapshot.ts";
import type { NamedCommand } from "./coverage/coverage.ts";
import type { NamedFile } from "./coverage/gather-files.ts";
import { grantsOf, type Pin, type PinnedFile, type TrustedKey, trustedKeys, type WrittenGrant } from "./trust-state.ts";

/** All approvals of one folder. */
export interface Pins {
  /** The real path of the folder. */
  readonly project: string;
  /** The time when the folder as a whole was accepted, for hosts that trust folders. */
  readonly accepted?: string;
  readonly pins: readonly Pin[];
  readonly grants: readonly WrittenGrant[];
}

export const noPins = (project: string): Pins => ({ project, pins: [], grants: [] });

const pinsVersion = 2;

export function printPins(pins: Pins): string {
  return `${JSON.stringify({ version: pinsVersion, ...pins }, null, 1)}\n`;
}

/** Contract: a file that differs from the format of `printPins` in any way is refused as a whole. */
export function parsePins(text: string, project: string): Pins | { readonly fault: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { fault: `it is not valid JSON (${messageOf(error)})` };
  }
  if (!isObject(value)) return { fault: "it is not a JSON object" };
  if (value["version"] !== pinsVersion) return { fault: "another version of Hookline wrote it" };
  if (value["project"] !== project) return { fault: "it belongs to another directory" };
  const { accepted, pins, grants } = value;
  if (accepted !== undefined && typeof accepted !== "string") return { fault: "accepted is not a time" };
  if (!Array.isArray(pins) || !pins.every(isPin)) return { fault: "one of its pins is damaged" };
  if (!Array.isArray(grants) || !grants.every(isGrant)) return { fault: "one of its grants is damaged" };
  return { project, ...defined({ accepted }), pins, grants };
}

function hasTexts(value: unknown, names: readonly string[]): value is Record<string, unknown> {
  return isObject(value) && names.every((name) => typeof value[name] === "string");
}

function isPin(value: unknown): value is Pin {
  if (!hasTexts(value, ["place", "digest", "definition", "at"])) return false;
  const { files, definition } = value;
  if (!isObject(attempt(() => JSON.parse(String(definition))))) return false;
  return Array.isArray(files) && files.every(isPinnedFile);
}

function isPinnedFile(value: unknown): value is PinnedFile {
  if (!hasTexts(value, ["path", "sha256"])) return false;
  const { text, imported } = value;
  return (text === undefined || typeof text === "string") && (imported === undefined || imported === true);
}

function isGrant(value: unknown): value is WrittenGrant {
  if (!hasTexts(value, ["layer", "list", "value"])) return false;
  const { layer, list } = value;
  return (layer === "project" || layer === "local") && (list === "allow" || list === "additionalDirectories");
}

/** A part of a checkout that has an effect only after it was approved. */
export interface ApprovableItem {
  /** The id of a hook, `project:env`, or `.mcp.json:name`. */
  readonly id: string;
  /** The id without its hash of the content. It stays the same when the item changes. */
  readonly place: string;
  readonly kind: "hook" | "mcpServer" | TrustedKey;
  readonly layer: Layer;
  /** Set for a hook. */
  readonly event?: string;
  /** Everything that must not change, as one text. */
  readonly definition: string;
  /** The command that it starts, if any. The files of the command must not change either. */
  readonly command?: NamedCommand;
}

/** What the approval of a hook says about it. */
export interface ApprovedHook {
  readonly within: string;
  readonly event: string;
  readonly matcher: string;
  readonly sequential: boolean;
  readonly onFailure: FailurePolicy;
  readonly hook: Hook;
}

/** Everything in a checkout that needs an approval, except its MCP servers. */
export function approvableItems(
  snapshot: Snapshot,
  approvedGrants: readonly WrittenGrant[] = [],
): readonly ApprovableItem[] {
  return [
    ...[...snapshot.byEvent.values()]
      .flat()
      .filter(({ layer }) => isOfCheckout(layer))
      .map(approvableHook),
    ...snapshot.layers.filter(isOfCheckout).flatMap((layer) => approvableKeys(layer, approvedGrants)),
  ];
}

/** A hash of definition and files, which is the same on every machine. */
export function pinDigest(definition: string, files: readonly NamedFile[]): string {
  return `sha256:${sha256(JSON.stringify([definition, files.map(({ path, sha256 }) => [path, sha256])]))}`;
}

function approvableHook({ ref, hook, layer, group, onFailure }: ConfiguredHook): ApprovableItem {
  const { event, matcher = "" } = ref;
  const { frontmatter, plugin } = layer;
  // A hook that was approved inside an agent is not approved for the whole folder.
  const within = frontmatter === undefined ? "settings" : `${frontmatter.of} ${frontmatter.name}`;
  return {
    id: ref.id,
    place: placeOf(ref.id),
    kind: "hook",
    layer,
    event,
    definition: stableJson({
      within,
      event,
      matcher,
      sequential: group.sequential,
      onFailure,
      hook,
    } satisfies ApprovedHook),
    ...(hook.type === "command"
      ? { command: { command: hook.command, args: hook.args, root: plugin?.root, shell: hook.shell } }
      : {}),
  };
}

/** The id of a hook without its hash. */
export function placeOf(id: string): string {
  return id.replace(/:[0-9a-f]+$/, "");
}

function approvableKeys(layer: Layer, approvedGrants: readonly WrittenGrant[]): readonly ApprovableItem[] {
  return (Object.keys(trustedKeys) as TrustedKey[]).flatMap((key) => {
    const value = key === "permissions" ? pendingGrants(layer, approvedGrants) : layer.settings[key];
    if (value === undefined || value === false) return [];
    const id = `${layer.kind}:${key}`;
    const definition = stableJson({ [key]: value });
    const { statusLine } = layer.settings;
    const command = key === "statusLine" && statusLine ? { command: { command: statusLine.command } } : {};
    return [{ id, place: id, kind: key, layer, definition, ...command }];
  });
}

/** The permissions of a layer that grant something, without grants that were approved one by one. Restrictions need no approval. */
function pendingGrants(layer: Layer, approvedGrants: readonly WrittenGrant[]): PermissionSettings | undefined {
  const { defaultMode } = layer.settings.permissions ?? {};
  const { allow, additionalDirectories } = grantsOf(layer, approvedGrants, false);
  const grants = {
    ...(allow.length > 0 ? { allow } : {}),
    ...(additionalDirectories.length > 0 ? { additionalDirectories } : {}),
    ...defined({ defaultMode }),
  };
  return Object.keys(grants).length > 0 ? grants : undefined;
}

/** Equal values give equal texts: object keys are sorted. */
export function stableJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (member === null || typeof member !== "object" || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

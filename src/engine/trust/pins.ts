import { isObject, messageOf } from "../../protocol/index.ts";
import type { WrittenGrant } from "./pinnable.ts";

/** One approval: exactly this definition with exactly these files. */
export interface Pin {
  readonly place: string;
  readonly digest: string;
  readonly definition: string;
  readonly files: readonly PinnedFile[];
  /** ISO time. */
  readonly at: string;
  /** How the covered files were found. Absent: by a version of Hookline that found fewer of them. */
  readonly covers?: typeof version;
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
export const version = 2;

export function printPins(pins: Pins): string {
  return `${JSON.stringify({ version, ...pins }, null, 1)}\n`;
}

/** Contract: what is not exactly as we write it is no approval of anything. */
export function parsePins(text: string, project: string): Pins | { readonly fault: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { fault: `it is no JSON (${messageOf(error)})` };
  }
  if (!isObject(value)) return { fault: "it holds no object" };
  if (value["version"] !== version && value["version"] !== 1) return { fault: "another version of Hookline wrote it" };
  if (value["project"] !== project) return { fault: "it is about another folder" };
  const { accepted, pins, grants } = value;
  if (accepted !== undefined && typeof accepted !== "string") return { fault: "accepted is no time" };
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
  if (covers !== undefined && covers !== version) return false;
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

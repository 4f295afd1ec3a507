import { isAbsolute, join } from "node:path";
import { insidePath, placesOf } from "./checkout-files.ts";
import { expandPattern } from "./expand-pattern.ts";
import type { Gathering } from "./gather-files.ts";
import { moduleFiles } from "./javascript.ts";
import type { Language } from "./program-kinds.ts";
import { leaveOut, type Script } from "./script-walk.ts";
import type { TextCommand } from "./shell-text.ts";
import { asWritten, isPattern, unknown } from "./word-values.ts";

/** The way through the commands of one shell text. */
export interface Walk {
  readonly commands: readonly TextCommand[];
  readonly functions: ReadonlySet<string>;
  readonly script: Script;
  readonly gathering: Gathering;
}

/** A word with all it may mean. */
export interface Meant {
  readonly raw: string;
  readonly values: readonly string[];
}

/** Covers every file that a word may name. */
export function coverWord({ values }: Meant, language: Language | undefined, walk: Walk): void {
  for (const value of values)
    for (const path of pathsIn(value))
      for (const folder of [...walk.script.folders])
        for (const place of placesFor(path, folder)) coverPlace(place, language, walk);
}

/** Whether a word is a whole path that leads out of the folder. */
export function isOutside({ values }: Meant, { gathering }: Walk): boolean {
  return values.some((value) => isAbsolute(value) && insidePath(value, gathering.checkout) === undefined);
}

/** A word as a path, and the paths inside it: `--config=x`, `@x`, `file:x` and `-fx` name x. */
function pathsIn(value: string): readonly string[] {
  const attached = /^-[A-Za-z](.+)/s.exec(value)?.[1];
  const pieces = [value, ...value.split(/[=,:@]/), ...(attached === undefined ? [] : [attached])];
  return [...new Set(pieces)].filter((path) => path !== "" && path.length < 4_096 && !path.includes("\0"));
}

function placesFor(path: string, folder: string): readonly string[] {
  const start = path.indexOf(unknown);
  // What is left of `$DIR/hooks/check.sh` still says which file is meant.
  if (start === 0 && path[1] === "/") return placesFor(`.${path.slice(1)}`, folder);
  if (start === 0 || (start > 0 && !path.slice(0, start).includes("/"))) return [];
  return start > 0 || isPattern(path) ? expandPattern(path, folder) : placesOf(path, folder);
}

function coverPlace(place: string, language: Language | undefined, { script, gathering }: Walk): void {
  const found = gathering.cover(place, language);
  if (language === "javascript" && found !== "file")
    for (const file of moduleFiles(place)) gathering.cover(file, language);
  if (found !== "folder") return;
  if (language === "python")
    for (const name of ["__main__.py", "__init__.py"]) gathering.cover(join(place, name), language);
  enter(place, script, gathering);
}

/** `cd DIR`: names behind it may count from there. */
export function enterFolder({ values }: Meant, { script, gathering }: Walk): void {
  for (const value of values)
    for (const folder of [...script.folders])
      for (const place of placesFor(value, folder))
        if (gathering.cover(place) === "folder") enter(place, script, gathering);
}

function enter(place: string, { folders }: Script, { checkout }: Gathering): void {
  if (insidePath(place, checkout) !== undefined && !folders.includes(place)) folders.push(place);
}

/** Names a word whose value decides what runs, when it is not known. */
export function mustBeKnown({ raw, values }: Meant, { script, gathering }: Walk): void {
  if (values.some((value) => value.startsWith("/proc/")))
    leaveOut(raw, "where it leads is not known before it runs", script, gathering);
  if (!values.some((value) => value.includes(unknown))) return;
  const known = values.filter((value) => !value.includes(unknown)).map(asWritten);
  const why =
    known.length === 0
      ? "its value is not known before it runs"
      : `only ${known.join(", ")} is covered; it may have another value when it runs`;
  leaveOut(raw, why, script, gathering);
}

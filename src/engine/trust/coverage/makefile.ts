import { dirname } from "node:path";
import { expandPattern } from "./expand-pattern.ts";
import type { Gathering, Unsearched } from "./gather-files.ts";
import { leaveOut, type Script } from "./script-walk.ts";
import { readShellText } from "./shell-text.ts";
import { TooMany, unknown, valuesOf } from "./word-values.ts";

const usualNames = ["GNUmakefile", "makefile", "Makefile"];

/** The makefiles of a call of `make`: those it names, else those it finds. */
export function coverMakefiles(args: readonly string[], script: Script, gathering: Gathering): void {
  const folders = optionValues(args, "C", "directory");
  const named = optionValues(args, "f", "file").concat(optionValues(args, "f", "makefile"));
  const places = [
    ...script.folders,
    ...script.folders.flatMap((folder) => folders.flatMap((one) => expandPattern(one, folder))),
  ];
  const files = named.length > 0 ? named : usualNames;
  const found = places
    .flatMap((folder) => files.flatMap((file) => expandPattern(file, folder)))
    .filter((place) => gathering.cover(place, "make") === "file");
  if (found.length === 0) leaveOut("make", "it finds no makefile in the folder now", script, gathering);
  const evaluated = args.find((arg) => /^(?:--eval|-E)/.test(arg));
  if (evaluated !== undefined) leaveOut(`make ${evaluated}`, "what it evaluates is not followed", script, gathering);
}

const mostIncludes = 200;

/** The values of an option in all its spellings: `-f x`, `-fx`, `--file x`, `--file=x`. */
function optionValues(args: readonly string[], short: string, long: string): string[] {
  return args
    .flatMap((arg, index) => {
      if (arg === `-${short}` || arg === `--${long}`) return [args[index + 1] ?? ""];
      if (arg.startsWith(`--${long}=`)) return [arg.slice(long.length + 3)];
      return arg.startsWith(`-${short}`) && !arg.startsWith("--") ? [arg.slice(2)] : [];
    })
    .filter((value) => value !== "");
}

/** What a makefile includes, and what its recipes run. */
export function searchMakefile({ text, place, path }: Unsearched, script: Script, gathering: Gathering): void {
  const joined = text.replace(/\\\n/g, " ");
  const variables = new Map(
    [...joined.matchAll(/^ *(?:(?:export|override) +)*([\w.-]+)\s*[:?+]*=\s*(.*)$/gm)].map(
      ([, name = "", value = ""]) => [name, value],
    ),
  );
  const filled = filler(variables, path);
  const includes = [...joined.matchAll(/^[ ]*(?:-include|sinclude|include)\s+([^\n#]*)/gm)];
  if (includes.length > mostIncludes) throw new TooMany(`${path} includes more than ${mostIncludes} files`);
  for (const [, list = ""] of includes)
    for (const name of filled(list).trim().split(/\s+/)) include(name, dirname(place), path, script, gathering);
  const recipes = [...joined.matchAll(/^\t[ \t]*[@+-]*(.*)$/gm)].map(([, line = ""]) => line);
  const inline = [...joined.matchAll(/^[^\t#\n][^\n=]*:[^\n=;]*;(.*)$/gm)].map(([, line = ""]) => line);
  const shell = [...joined.matchAll(/\$[({]shell\s+([^)}\n]*)/g)].map(([, line = ""]) => line);
  // The program that runs the recipes, and the file that it runs before them.
  const shells = [variables.get("SHELL") ?? "", ...["BASH_ENV", "ENV"].map((name) => `. ${variables.get(name) ?? ""}`)];
  const lines = [...recipes, ...inline, ...shell, ...shells].map(filled);
  for (const [form] of joined.matchAll(/^ *-?load +[^\n#]{1,60}|\$[({]file +<[^)}\n]{0,60}/gm))
    gathering.leaveOut(`${path}: ${form.trim()}`, "what it loads is not followed");
  gathering.scripts.push({ text: lines.join("\n"), script });
}

function include(name: string, folder: string, path: string, script: Script, gathering: Gathering): void {
  if (name === "") return;
  const shown = `${path}: include ${name.replaceAll(unknown, "…")}`;
  if (name.includes(unknown)) gathering.leaveOut(shown, "its name is worked out while make runs");
  const [command] = readShellText(name).commands;
  const [word] = command?.words ?? [];
  if (word === undefined) return;
  for (const value of valuesOf(word, { variables: new Map(), home: gathering.checkout.home, printed: () => undefined }))
    for (const from of new Set([folder, ...script.folders]))
      for (const found of expandPattern(value, from)) gathering.cover(found, "make");
}

const mostFilled = 1024 * 1024;

/** Fills in variables of make where the makefile says what they hold; `$$` is the shell's own sign. */
function filler(variables: ReadonlyMap<string, string>, path: string): (text: string) => string {
  // Variables that hold each other many times over would grow without end.
  let left = mostFilled;
  const fill = (text: string, depth: number): string =>
    text.replace(/\$\$|\$[({](\w[\w.-]*)[)}]|\$[({][^)}]*[)}]|\$[@<^*?%+]/g, (whole, name?: string) => {
      if (whole === "$$") return "$";
      if (name === "MAKE") return "make";
      const value = name === undefined ? undefined : variables.get(name);
      if (value === undefined || depth > 3) return unknown;
      left -= value.length + 1;
      if (left < 0) throw new TooMany(`the variables of ${path} hold more than can be looked at`);
      return fill(value, depth + 1);
    });
  return (text) => fill(text, 0);
}

import { dirname } from "node:path";
import type { FileToSearch, ScriptWalk } from "./gather-files.ts";
import { foldersWith, reportNotCovered } from "./script-walk.ts";
import { readShellText } from "./shell-text.ts";
import { budget, expandPattern, NotApprovable, unknown, valuesOf } from "./word-values.ts";

const usualNames = ["GNUmakefile", "makefile", "Makefile"];

/** The makefiles of a `make` call: those it names, or the default ones. */
export function coverMakefiles(args: readonly string[], script: ScriptWalk): void {
  const folders = optionValues(args, "C", "directory");
  const named = optionValues(args, "f", "file").concat(optionValues(args, "f", "makefile"));
  const files = named.length > 0 ? named : usualNames;
  const found = foldersWith(folders, script)
    .flatMap((folder) => files.flatMap((file) => expandPattern(file, folder)))
    .filter((place) => script.collector.cover(place, "make") === "file");
  if (found.length === 0) reportNotCovered("make", "the folder has no makefile", script);
  const evaluated = args.find((arg) => /^(?:--eval|-E)/.test(arg));
  if (evaluated !== undefined) reportNotCovered(`make ${evaluated}`, "what it evaluates is not followed", script);
}

const maxIncludes = 200;

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
export function searchMakefile({ text, place, path }: FileToSearch, script: ScriptWalk): void {
  const joined = text.replace(/\\\n/g, " ");
  const variables = new Map(
    [...joined.matchAll(/^ *(?:(?:export|override) +)*([\w.-]+)\s*[:?+]*=\s*(.*)$/gm)].map(
      ([, name = "", value = ""]) => [name, value],
    ),
  );
  const filled = filler(variables, path);
  const includes = [...joined.matchAll(/^[ ]*(?:-include|sinclude|include)\s+([^\n#]*)/gm)];
  if (includes.length > maxIncludes) throw new NotApprovable(`${path} includes more than ${maxIncludes} files`);
  for (const [, list = ""] of includes)
    for (const name of filled(list).trim().split(/\s+/)) include(name, dirname(place), path, script);
  const groupIn = (expression: RegExp) => [...joined.matchAll(expression)].map(([, line = ""]) => line);
  const recipes = groupIn(/^\t[ \t]*[@+-]*(.*)$/gm);
  const inline = groupIn(/^[^\t#\n][^\n=]*:[^\n=;]*;(.*)$/gm);
  const shell = groupIn(/\$[({]shell\s+([^)}\n]*)/g);
  // The program that runs the recipes, and the file that it runs before them.
  const shells = [variables.get("SHELL") ?? "", ...["BASH_ENV", "ENV"].map((name) => `. ${variables.get(name) ?? ""}`)];
  const lines = [...recipes, ...inline, ...shell, ...shells].map(filled);
  for (const [form] of joined.matchAll(/^ *-?load +[^\n#]{1,60}|\$[({]file +<[^)}\n]{0,60}/gm))
    script.collector.reportNotCovered(`${path}: ${form.trim()}`, "what it loads is not followed");
  script.collector.scripts.push({ text: lines.join("\n"), script });
}

function include(name: string, folder: string, path: string, script: ScriptWalk): void {
  if (name === "") return;
  const shown = `${path}: include ${name.replaceAll(unknown, "…")}`;
  if (name.includes(unknown)) script.collector.reportNotCovered(shown, "its name is computed while make runs");
  const [command] = readShellText(name).commands;
  const [word] = command?.words ?? [];
  if (word === undefined) return;
  const { folders, collector } = script;
  const context = { variables: new Map(), folders, home: collector.checkout.home, printed: () => undefined };
  for (const value of valuesOf(word, context))
    for (const from of new Set([folder, ...script.folders]))
      for (const found of expandPattern(value, from)) script.collector.cover(found, "make");
}

const maxFilledCharacters = 1024 * 1024;

/** Expands variables that the makefile defines; `$$` is a `$` for the shell. */
function filler(variables: ReadonlyMap<string, string>, path: string): (text: string) => string {
  // Variables that contain each other many times would grow without limit.
  const count = budget(maxFilledCharacters, `the variables of ${path} are too long`);
  const fill = (text: string, depth: number): string =>
    text.replace(/\$\$|\$[({](\w[\w.-]*)[)}]|\$[({][^)}]*[)}]|\$[@<^*?%+]/g, (whole, name?: string) => {
      if (whole === "$$") return "$";
      if (name === "MAKE") return "make";
      const value = name === undefined ? undefined : variables.get(name);
      if (value === undefined || depth > 3) return unknown;
      count(value.length + 1);
      return fill(value, depth + 1);
    });
  return (text) => fill(text, 0);
}

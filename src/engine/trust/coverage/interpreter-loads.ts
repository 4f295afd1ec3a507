import { dirname, isAbsolute, join } from "node:path";
import { isObject } from "../../../protocol/internal.ts";
import { isGuarded } from "../../settings/layer.ts";
import { insidePath, readEntry } from "./gather-files.ts";
import { foldersUp } from "./javascript.ts";
import { coverPackageCall } from "./package-scripts.ts";
import type { Language } from "./program-kinds.ts";
import { pythonModuleFiles } from "./python.ts";
import { type CommandWalk, coverWord, reportNotCovered, type WordMeaning } from "./script-walk.ts";
import { unknown } from "./word-values.ts";

/** `python -m NAME`, `perl -MName`, `ruby -rname`. */
export function coverModules(
  name: string,
  args: readonly WordMeaning[],
  language: Language,
  { script }: CommandWalk,
): void {
  const texts = args.flatMap(({ values }) => values);
  const isRuby = /^ruby[\d.]*$/.test(name);
  for (const [index, text] of texts.entries()) {
    const module = (isRuby ? /^-\w*r$/ : /^-\w*m$/).test(text)
      ? texts[index + 1]
      : (isRuby ? /^-r(.+)/ : /^-[mM](.+)/).exec(text)?.[1];
    if (module === undefined) continue;
    const files = (folder: string) =>
      language === "python"
        ? pythonModuleFiles(module, folder, folder)
        : [join(folder, `${module.replaceAll("::", "/")}.pm`), join(folder, `${module}.rb`)];
    const found = script.folders.flatMap(files).filter((file) => script.collector.cover(file, language) === "file");
    if (found.length === 0)
      reportNotCovered(
        `${name} -${isRuby ? "r" : "m"} ${module}`,
        "no file in the folder provides this module",
        script,
      );
  }
}

/** What an interpreter finds on its own: settings that make it load more, tasks, tests. */
export function coverOwnLoads(name: string, args: readonly WordMeaning[], walk: CommandWalk): void {
  const { script } = walk;
  const texts = args.map(({ values }) => values[0] ?? unknown);
  const files = settingsOf[name] ?? [];
  for (const folder of script.folders)
    for (const at of foldersUp(folder, script.collector.checkout))
      for (const file of files) script.collector.cover(join(at, file));
  if (name === "deno" && texts[0] === "task") coverTask(texts, walk);
  if (name === "bun") coverBun(texts, walk);
  if (/^(?:node|bun|deno)$/.test(name) && texts.some((text) => /^(?:--test|test)$/.test(text)))
    reportNotCovered(`${name} ${texts.join(" ").replaceAll(unknown, "…")}`, "the tests that it discovers", script);
  if (
    name === "java" &&
    (!texts.includes("-jar") || texts.some((text) => /^(?:-cp|-classpath|--class-path|-p|--module-path)/.test(text)))
  )
    reportNotCovered("java", "the classes that it finds on its class path", script);
}

const settingsOf: Readonly<Record<string, readonly string[]>> = {
  deno: ["deno.json", "deno.jsonc"],
  bun: ["bunfig.toml", "tsconfig.json"],
  tsx: ["tsconfig.json"],
  "ts-node": ["tsconfig.json"],
};

/** `bun NAME`, `bun run NAME`: a script of package.json, unless it is a file. */
function coverBun(texts: readonly string[], { script }: CommandWalk): void {
  const words = texts.filter((text) => !text.startsWith("-"));
  const [first, second] = words;
  const name = first === "run" ? second : first;
  if (name === undefined) return;
  const isFile = script.folders.some((folder) => script.collector.cover(join(folder, name), "javascript") === "file");
  if (!isFile) coverPackageCall("bun", texts, script);
}

/** `deno task NAME`: the text of that task, and what it runs. */
function coverTask(texts: readonly string[], { script }: CommandWalk): void {
  const name = texts.slice(1).find((text) => !text.startsWith("-"));
  const manifests = script.folders
    .flatMap((folder) => foldersUp(folder, script.collector.checkout))
    .flatMap((at) => ["deno.json", "deno.jsonc", "package.json"].map((file) => join(at, file)));
  let found = false;
  for (const place of new Set(manifests)) {
    const text = name === undefined ? undefined : taskIn(place, name);
    if (text === undefined) continue;
    found = true;
    const path = `${insidePath(place, script.collector.checkout) ?? place}#${name}`;
    if (script.collector.files.has(path)) continue;
    script.collector.coverText(path, text);
    script.collector.scripts.push({
      text,
      script: { ...script, mode: "run", label: path, folders: [dirname(place)], depth: 0 },
    });
  }
  if (!found) reportNotCovered(`deno task ${name ?? ""}`.trim(), "no file in the folder defines this task", script);
}

function taskIn(place: string, name: string): string | undefined {
  const entry = readEntry(place);
  if (typeof entry === "string" || "unusable" in entry) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(entry.bytes.toString("utf8"));
  } catch {
    // It has comments or is invalid. The caller reports that the task is not known.
    return undefined;
  }
  const tasks = isObject(value) ? (value["tasks"] ?? value["scripts"]) : undefined;
  const task = isObject(tasks) ? tasks[name] : undefined;
  const text = isObject(task) ? task["command"] : task;
  return typeof text === "string" ? text : undefined;
}

/** `PATH=tools:$PATH`, `PERL5OPT=-MName`: what programs load or start because of it is not followed; files that it names are covered. */
export function nameLoadingVariables(words: readonly WordMeaning[], walk: CommandWalk): void {
  const { script } = walk;
  for (const word of words) {
    const { raw, values } = word;
    const [, name = ""] = /^([A-Za-z_]\w*)\+?=/.exec(raw) ?? [];
    // A shell runs this file first.
    if (/^(?:BASH_)?ENV$/.test(name)) coverWord(word, walk, "shell");
    if (!/(?:PATH|LIB|OPTS?|OPTIONS|FLAGS)$/.test(name) || !isGuarded(name)) continue;
    const parts = values.flatMap((value) => value.slice(value.indexOf("=") + 1).split(":"));
    const isElsewhere = (part: string): boolean =>
      part === unknown || (isAbsolute(part) && insidePath(part, script.collector.checkout) === undefined);
    if (!parts.every(isElsewhere))
      reportNotCovered(raw, "what programs load or start because of it, apart from files that it names", script);
  }
}

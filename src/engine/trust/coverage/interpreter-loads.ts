import { dirname, isAbsolute, join } from "node:path";
import { isObject } from "../../../protocol/internal.ts";
import { isGuarded } from "../../settings/layer-limits.ts";
import { insidePath, lookAt } from "./gather-files.ts";
import { foldersUp } from "./javascript.ts";
import { coverPackageCall } from "./package-scripts.ts";
import type { Language } from "./program-kinds.ts";
import { pythonModuleFiles } from "./python.ts";
import { coverWord, leaveOut, type Meant, type Walk } from "./script-walk.ts";
import { unknown } from "./word-values.ts";

/** `python -m NAME`, `perl -MName`, `ruby -rname`. */
export function coverModules(
  name: string,
  args: readonly Meant[],
  language: Language,
  { script, gathering }: Walk,
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
    const found = script.folders.flatMap(files).filter((file) => gathering.cover(file, language) === "file");
    if (found.length === 0)
      leaveOut(
        `${name} -${isRuby ? "r" : "m"} ${module}`,
        "no file of the folder is this module now",
        script,
        gathering,
      );
  }
}

/** What an interpreter finds by itself: settings that make it load more, tasks and tests that it looks for. */
export function coverOwnLoads(name: string, args: readonly Meant[], walk: Walk): void {
  const { script, gathering } = walk;
  const texts = args.map(({ values }) => values[0] ?? unknown);
  const files = settingsOf[name] ?? [];
  for (const folder of script.folders)
    for (const at of foldersUp(folder, gathering.checkout)) for (const file of files) gathering.cover(join(at, file));
  if (name === "deno" && texts[0] === "task") coverTask(texts, walk);
  if (name === "bun") coverBun(texts, walk);
  if (/^(?:node|bun|deno)$/.test(name) && texts.some((text) => /^(?:--test|test)$/.test(text)))
    leaveOut(
      `${name} ${texts.join(" ").replaceAll(unknown, "…")}`,
      "the tests that it finds by itself",
      script,
      gathering,
    );
  if (
    name === "java" &&
    (!texts.includes("-jar") || texts.some((text) => /^(?:-cp|-classpath|--class-path|-p|--module-path)/.test(text)))
  )
    leaveOut("java", "the classes that it finds in folders of its class path", script, gathering);
}

const settingsOf: Readonly<Record<string, readonly string[]>> = {
  deno: ["deno.json", "deno.jsonc"],
  bun: ["bunfig.toml", "tsconfig.json"],
  tsx: ["tsconfig.json"],
  "ts-node": ["tsconfig.json"],
};

/** `bun NAME`, `bun run NAME`: a script of package.json, unless it is a file. */
function coverBun(texts: readonly string[], { script, gathering }: Walk): void {
  const words = texts.filter((text) => !text.startsWith("-"));
  const [first, second] = words;
  const name = first === "run" ? second : first;
  if (name === undefined) return;
  const isFile = script.folders.some((folder) => gathering.cover(join(folder, name), "javascript") === "file");
  if (!isFile) coverPackageCall("bun", texts, script, gathering);
}

/** `deno task NAME`: the text of that task, and what it runs. */
function coverTask(texts: readonly string[], { script, gathering }: Walk): void {
  const name = texts.slice(1).find((text) => !text.startsWith("-"));
  const manifests = script.folders
    .flatMap((folder) => foldersUp(folder, gathering.checkout))
    .flatMap((at) => ["deno.json", "deno.jsonc", "package.json"].map((file) => join(at, file)));
  let found = false;
  for (const place of new Set(manifests)) {
    const text = name === undefined ? undefined : taskIn(place, name);
    if (text === undefined) continue;
    found = true;
    const path = `${insidePath(place, gathering.checkout) ?? place}#${name}`;
    if (gathering.files.has(path)) continue;
    gathering.coverText(path, text);
    gathering.scripts.push({
      text,
      script: { ...script, mode: "run", label: path, folders: [dirname(place)], depth: 0 },
    });
  }
  if (!found)
    leaveOut(`deno task ${name ?? ""}`.trim(), "no file of the folder says what this task is now", script, gathering);
}

function taskIn(place: string, name: string): string | undefined {
  const looked = lookAt(place);
  if (typeof looked === "string" || "unusable" in looked) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(looked.bytes.toString("utf8"));
  } catch {
    // With comments, or broken. The caller says that the task is not known.
    return undefined;
  }
  const tasks = isObject(value) ? (value["tasks"] ?? value["scripts"]) : undefined;
  const task = isObject(tasks) ? tasks[name] : undefined;
  const text = isObject(task) ? task["command"] : task;
  return typeof text === "string" ? text : undefined;
}

/** `PATH=tools:$PATH`, `PERL5OPT=-MName`: what programs load or start because of it is not followed. A file that it names is covered. */
export function nameLoadingVariables(words: readonly Meant[], walk: Walk): void {
  const { script, gathering } = walk;
  for (const word of words) {
    const { raw, values } = word;
    const [, name = ""] = /^([A-Za-z_]\w*)\+?=/.exec(raw) ?? [];
    // A shell runs this file before anything else.
    if (/^(?:BASH_)?ENV$/.test(name)) coverWord(word, "shell", walk);
    if (!/(?:PATH|LIB|OPTS?|OPTIONS|FLAGS)$/.test(name) || !isGuarded(name)) continue;
    const parts = values.flatMap((value) => value.slice(value.indexOf("=") + 1).split(":"));
    const isElsewhere = (part: string): boolean =>
      part === unknown || (isAbsolute(part) && insidePath(part, gathering.checkout) === undefined);
    if (!parts.every(isElsewhere))
      leaveOut(raw, "what programs load or start because of it, beside files that it names", script, gathering);
  }
}

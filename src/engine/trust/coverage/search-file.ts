import { dirname, join, resolve } from "node:path";
import { type FileToSearch, realPathOf } from "./gather-files.ts";
import { loadedBy, moduleFiles, resolveImport } from "./javascript.ts";
import { searchMakefile } from "./makefile.ts";
import { packageAt } from "./package-scripts.ts";
import { hasCodeExtension } from "./program-kinds.ts";
import { isStandardModule, pythonLoads, pythonModuleFiles, standardModulesIn } from "./python.ts";
import type { ScriptWalk } from "./script-walk.ts";

const maxSearchedLength = 1024 * 1024;

/** Covers what a file loads, and reports what cannot be covered. */
export function searchFile(file: FileToSearch, script: ScriptWalk): void {
  const { path, place, text } = file;
  if (/(?:^|\/)node_modules\//.test(path)) {
    const name = packageAt(dirname(realPathOf(place) ?? place)) ?? path;
    script.collector.reportNotCovered(name, `a package; only ${path} of it is covered`);
  } else if (text.length > maxSearchedLength)
    script.collector.reportNotCovered(path, "it is too long to search for what it loads");
  else {
    const folders = foldersOf(place, script);
    searchText(file, { ...script, mode: "run", label: path, file: place, folders, depth: 0 });
  }
}

function searchText(file: FileToSearch, script: ScriptWalk): void {
  const { path, text, language } = file;
  const [, first] = /^#!\s*([^\n]{0,200})/.exec(text) ?? [];
  // A `#!` line with options may load more: `#!/usr/bin/env -S node --import ./x.mjs`.
  if (first !== undefined && /\s-[^f\s]*\s+\S|[/.]\S*=/.test(first))
    script.collector.scripts.push({ text: first.replace(/\senv\s+-S\s|\s-S\s/, " "), script });
  if (language === "shell") script.collector.scripts.push({ text: text.replace(/^#![^\n]*/, ""), script });
  else if (language === "javascript") searchJavaScript(file, script);
  else if (language === "python") searchPython(file, script);
  else if (language === "make") searchMakefile(file, script);
  else {
    const texts = [...text.matchAll(/(["'])((?:\\.|(?!\1)[^\\\n]){0,500})\1/g)].map(([, , one = ""]) => one);
    coverTexts(texts, script);
    script.collector.reportNotCovered(path, "what it loads: files in this language are not searched");
  }
}

/** A loader that follows links searches next to the real file, others next to the link. */
function foldersOf(place: string, { folders }: ScriptWalk): string[] {
  return [...new Set([...folders, dirname(place), dirname(realPathOf(place) ?? place)])];
}

function searchJavaScript({ text, place, path }: FileToSearch, script: ScriptWalk): void {
  const { specifiers, texts, computed, startsPrograms } = loadedBy(text);
  const beside = new Set([dirname(place), dirname(realPathOf(place) ?? place)]);
  for (const specifier of specifiers) {
    for (const folder of beside) {
      const meant = resolveImport(specifier, folder, script.collector.checkout);
      if ("package" in meant)
        script.collector.reportNotCovered(packageName(meant), "a package; its own files are not covered");
      else for (const one of meant.files) script.collector.cover(one);
    }
  }
  for (const one of texts.filter((one) => /^\.{1,2}\//.test(one)))
    for (const folder of beside)
      for (const found of moduleFiles(resolve(folder, one)).filter(hasCodeExtension)) script.collector.cover(found);
  coverTexts(texts, script);
  for (const form of computed)
    script.collector.reportNotCovered(`${path}: ${form}`, "what it loads is computed at run time");
  if (startsPrograms)
    script.collector.reportNotCovered(path, "it starts programs; only files that it names as plain text are covered");
}

function packageName({
  package: name,
  version,
}: {
  readonly package: string;
  readonly version: string | undefined;
}): string {
  return `package ${name} ${version ?? "(not installed, or without a version)"}`;
}

/** Python calls that start a program, including renamed imports. */
const startsPrograms =
  /\bsubprocess\b|\b(?:create_)?subprocess_(?:exec|shell)\b|\bpty\.spawn\b|\bos\.(?:system|popen|exec|spawn|posix_spawn)|\bfrom\s{1,20}os\s{1,20}import\s[^\n]{0,200}\b(?:system|popen|exec|spawn|posix_spawn)|\bimport\s{1,20}os\s{1,20}as\b/;

function searchPython({ text, place, path }: FileToSearch, script: ScriptWalk): void {
  const { modules, texts, computed } = pythonLoads(text);
  for (const module of modules) {
    const files = script.folders.flatMap((folder) => pythonModuleFiles(module, folder, dirname(place)));
    const found = files.filter((file) => script.collector.cover(file, "python") === "file");
    const [name = ""] = module.split(".");
    if (name !== "" && !isStandardModule(name) && found.length === 0)
      script.collector.reportNotCovered(`package ${name} (Python)`, "a package; its own files are not covered");
  }
  // A file next to the program shadows a standard module of that name in every import.
  for (const file of modules.length > 0 ? standardModulesIn(script.folders) : [])
    script.collector.cover(file, "python");
  coverTexts(texts, script);
  for (const form of computed)
    script.collector.reportNotCovered(`${path}: ${form}`, "what it loads, or from where, is computed at run time");
  if (startsPrograms.test(text))
    script.collector.reportNotCovered(path, "it starts programs; only files that it names as plain text are covered");
}

/** Strings that are the path of a program in the checkout. */
function coverTexts(texts: readonly string[], { folders, collector }: ScriptWalk): void {
  for (const text of new Set(texts))
    for (const word of text.length > 1_000 ? [] : text.split(/\s+/))
      if (hasCodeExtension(word) && !/[\0*${}]/.test(word))
        for (const folder of folders) collector.cover(join(folder, word));
}

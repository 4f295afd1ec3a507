import { dirname, join, resolve } from "node:path";
import { type Gathering, realPathOf, type Unsearched } from "./gather-files.ts";
import { loadedBy, moduleFiles, resolveImport } from "./javascript.ts";
import { searchMakefile } from "./makefile.ts";
import { packageAt } from "./package-scripts.ts";
import { namesCode } from "./program-kinds.ts";
import { isStandardModule, pythonLoads, pythonModuleFiles, standardModulesIn } from "./python.ts";
import type { Script } from "./script-walk.ts";

const longestText = 1024 * 1024;

/** Covers what a file loads in turn, and says what of it cannot be covered. */
export function searchFile(file: Unsearched, script: Script, gathering: Gathering): void {
  const { path, place, text } = file;
  if (/(?:^|\/)node_modules\//.test(path)) {
    const name = packageAt(dirname(realPathOf(place) ?? place)) ?? path;
    gathering.leaveOut(name, `a package; only ${path} of it is covered`);
  } else if (text.length > longestText) gathering.leaveOut(path, "it is too long to be searched for what it loads");
  else {
    const folders = foldersOf(place, script);
    searchText(file, { ...script, mode: "run", label: path, file: place, folders, depth: 0 }, gathering);
  }
}

function searchText(file: Unsearched, own: Script, gathering: Gathering): void {
  const { path, text, language } = file;
  const [, first] = /^#!\s*([^\n]{0,200})/.exec(text) ?? [];
  // A first line with options may load more: `#!/usr/bin/env -S node --import ./x.mjs`.
  if (first !== undefined && /\s-[^f\s]*\s+\S|[/.]\S*=/.test(first))
    gathering.scripts.push({ text: first.replace(/\senv\s+-S\s|\s-S\s/, " "), script: own });
  if (language === "shell") gathering.scripts.push({ text: text.replace(/^#![^\n]*/, ""), script: own });
  else if (language === "javascript") searchJavaScript(file, own, gathering);
  else if (language === "python") searchPython(file, own, gathering);
  else if (language === "make") searchMakefile(file, own, gathering);
  else {
    const texts = [...text.matchAll(/(["'])((?:\\.|(?!\1)[^\\\n]){0,500})\1/g)].map(([, , one = ""]) => one);
    coverTexts(texts, own, gathering);
    gathering.leaveOut(path, "what it loads in turn: files in this language are not searched for that");
  }
}

/** A loader that follows links looks beside the real file, others beside the name. */
function foldersOf(place: string, { folders }: Script): string[] {
  return [...new Set([...folders, dirname(place), dirname(realPathOf(place) ?? place)])];
}

function searchJavaScript({ text, place, path }: Unsearched, script: Script, gathering: Gathering): void {
  const { specifiers, texts, computed, startsPrograms } = loadedBy(text);
  const beside = new Set([dirname(place), dirname(realPathOf(place) ?? place)]);
  for (const specifier of specifiers) {
    for (const folder of beside) {
      const meant = resolveImport(specifier, folder, gathering.checkout);
      if ("package" in meant) gathering.leaveOut(packageName(meant), "a package; its own files are not covered");
      else for (const one of meant.files) gathering.cover(one);
    }
  }
  for (const one of texts.filter((one) => /^\.{1,2}\//.test(one)))
    for (const folder of beside)
      for (const found of moduleFiles(resolve(folder, one)).filter(namesCode)) gathering.cover(found);
  coverTexts(texts, script, gathering);
  for (const form of computed) gathering.leaveOut(`${path}: ${form}`, "what it loads is worked out while it runs");
  if (startsPrograms)
    gathering.leaveOut(path, "it starts programs: of those only files are covered that it names as text");
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

/** Calls of Python that start a program, and names under which such a call may be hidden. */
const startsPrograms =
  /\bsubprocess\b|\b(?:create_)?subprocess_(?:exec|shell)\b|\bpty\.spawn\b|\bos\.(?:system|popen|exec|spawn|posix_spawn)|\bfrom\s{1,20}os\s{1,20}import\s[^\n]{0,200}\b(?:system|popen|exec|spawn|posix_spawn)|\bimport\s{1,20}os\s{1,20}as\b/;

function searchPython({ text, place, path }: Unsearched, script: Script, gathering: Gathering): void {
  const { modules, texts, computed } = pythonLoads(text);
  for (const module of modules) {
    const files = script.folders.flatMap((folder) => pythonModuleFiles(module, folder, dirname(place)));
    const found = files.filter((file) => gathering.cover(file, "python") === "file");
    const [name = ""] = module.split(".");
    if (name !== "" && !isStandardModule(name) && found.length === 0)
      gathering.leaveOut(`package ${name} (Python)`, "a package; its own files are not covered");
  }
  // A file beside the program comes before the module of that name that comes with Python, whoever imports it.
  for (const file of modules.length > 0 ? standardModulesIn(script.folders) : []) gathering.cover(file, "python");
  coverTexts(texts, script, gathering);
  for (const form of computed)
    gathering.leaveOut(`${path}: ${form}`, "what it loads, or where it looks, is worked out while it runs");
  if (startsPrograms.test(text))
    gathering.leaveOut(path, "it starts programs: of those only files are covered that it names as text");
}

/** Texts that are the path of a program of the checkout. */
function coverTexts(texts: readonly string[], { folders }: Script, gathering: Gathering): void {
  for (const text of new Set(texts))
    for (const word of text.length > 1_000 ? [] : text.split(/\s+/))
      if (namesCode(word) && !/[\0*${}]/.test(word)) for (const folder of folders) gathering.cover(join(folder, word));
}

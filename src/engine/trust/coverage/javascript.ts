import { existsSync } from "node:fs";
import { isBuiltin } from "node:module";
import { basename, dirname, extname, join, resolve } from "node:path";
import { isObject, parseObject } from "../../../protocol/internal.ts";
import {
  type Checkout,
  type FileToSearch,
  isBelow,
  kindAt,
  readEntry,
  realPathOf,
  type ScriptWalk,
} from "./gather-files.ts";
import { hasCodeExtension } from "./program-kinds.ts";
import { fromCode } from "./shell-words.ts";
import { NotApprovable } from "./word-values.ts";

/** Covers what a JavaScript or TypeScript program loads, and reports what cannot be covered. */
export function searchJavaScript({ text, place, path }: FileToSearch, { collector, folders }: ScriptWalk): void {
  const { specifiers, texts, computed, startsPrograms } = loadedBy(text);
  const ownFolders = new Set([dirname(place), dirname(realPathOf(place) ?? place)]);
  for (const specifier of specifiers) {
    for (const folder of ownFolders) {
      const found = resolveImport(specifier, folder, collector.checkout);
      if ("package" in found) collector.reportNotCovered(found.package, "a package; its own files are not covered");
      else for (const file of found.files) collector.cover(file);
    }
  }
  for (const one of texts.filter((one) => /^\.{1,2}\//.test(one)))
    for (const folder of ownFolders)
      for (const file of moduleFiles(resolve(folder, one)).filter(hasCodeExtension)) collector.cover(file);
  collector.coverTexts(texts, folders);
  for (const form of computed) collector.reportNotCovered(`${path}: ${form}`, "what it loads is computed at run time");
  if (startsPrograms)
    collector.reportNotCovered(path, "it starts programs; only files that it names as plain text are covered");
}

const gap = String.raw`(?:\s|\/\*[\s\S]{0,200}?\*\/)*`;
// Bounded: an unterminated string would be scanned from each of its quotes.
const text = String.raw`(["'\`])((?:\\.|(?!\1)[^\\\n]){0,500})\1`;

/** Text that is run as a program, and internal names of loaders. */
const runsText =
  /(?<![.\w])eval\s*\(|\bnew\s+Function\b|\brunIn(?:This|New)?Context\b|\bvm\.Script\b|\b_(?:load|compile)\s*\(/g;

/** What a program loads, according to its text. */
function loadedBy(source: string) {
  const makers = [...source.matchAll(/\b(\w+)\s*=\s*(?:\w+\s*\.\s*)?createRequire\b/g)].map(([, name = ""]) => name);
  const called = ["import", "require", "resolve", ...makers].join("|");
  const specifiers = [
    ...matched(source, new RegExp(`\\b(?:from|import)${gap}${text}`, "g")),
    ...matched(source, new RegExp(`\\b(?:${called})${gap}\\(${gap}${text}`, "g")),
    ...matched(source, new RegExp(String.raw`\bcreateRequire${gap}\([^()\n]{0,200}\)${gap}\(${gap}${text}`, "g")),
  ];
  const opened = `(?<![.\\w])(?:${["import", "require", ...makers].join("|")})${gap}\\(`;
  const computed = [
    ...[...source.matchAll(new RegExp(`${opened}([^)\\n]{0,60})\\)?`, "g"))].filter(
      ([, given = ""]) => /^\s*[^\s"'`)]/.test(given) || /\$\{/.test(given),
    ),
    // A string that is only the start of the name: `"./rules/" + name`.
    ...source.matchAll(new RegExp(`${opened}${gap}${text}\\s*[^\\s),/][^)\\n]{0,40}\\)?`, "g")),
  ]
    .map(([whole]) => whole.replaceAll(/\s+/g, " "))
    .concat([...source.matchAll(runsText)].map(([whole]) => whole));
  return {
    /** After `import`, `from`, `require` and functions of `createRequire`. */
    specifiers: [...new Set(specifiers)],
    /** Every string: it may name a file that is loaded or started. */
    texts: [...new Set(matched(source, new RegExp(text, "g")))],
    /** Loads whose name is computed at run time, as written. */
    computed: [...new Set(computed)],
    startsPrograms: /\bchild_process\b|\bexeca\b|\bBun\.(?:spawn|\$)|\bDeno\.Command\b|["']zx["']/.test(source),
  };
}

function matched(source: string, expression: RegExp): readonly string[] {
  return [...source.matchAll(expression)].map((found) => withoutEscapes(found[2] ?? ""));
}

function withoutEscapes(text: string): string {
  return text.replace(/\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|u\{([\da-fA-F]{1,6})\}|(.))/g, (_, x, u, code, char) =>
    char === undefined ? fromCode(Number.parseInt(x ?? u ?? code, 16)) : char,
  );
}

const endings = [".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json", ".node", ".css"];

/** What an import resolves to: every file that could be loaded for it, or the name and version of a package. */
type ResolvedImport = { readonly files: readonly string[] } | { readonly package: string };

function resolveImport(specifier: string, folder: string, checkout: Checkout): ResolvedImport {
  const name = specifier.replace(/^file:\/\//, "").replace(/(?<=.)[?#].*$/, "");
  if (/^(?:\.{1,2}(?:\/|$)|\/)/.test(name))
    return { files: [name, decoded(name)].flatMap((one) => moduleFiles(resolve(folder, one))) };
  if (name.startsWith("#")) return { files: ownImport(name, folder, checkout) };
  if (name === "" || isBuiltin(name) || /^\w+:|[\s\0]/.test(name)) return { files: [] };
  return packageImport(name, folder, checkout);
}

/** Imports are URLs, in which `%6c` is a letter. */
function decoded(name: string): string {
  return name.replace(/%([\da-fA-F]{2})/g, (_, code: string) => fromCode(Number.parseInt(code, 16)));
}

/** The files that loaders would try for a path. */
export function moduleFiles(path: string): readonly string[] {
  const stem = join(dirname(path), basename(path, extname(path)));
  const names = [path, ...endings.flatMap((ending) => [path + ending, stem + ending])];
  const folders = [...new Set([path, stem])].filter((one) => kindAt(one) === "folder");
  const inner = folders.flatMap((folder) => [
    join(folder, "package.json"),
    ...mainsOf(manifestIn(folder)).map((main) => join(folder, main)),
    ...endings.map((ending) => join(folder, `index${ending}`)),
  ]);
  return [...new Set([...names, ...inner])].filter(isFile);
}

/** `#name`, as the nearest package.json maps it. */
function ownImport(name: string, folder: string, checkout: Checkout): readonly string[] {
  for (const at of foldersUp(folder, checkout)) {
    const manifest = manifestIn(at);
    if (manifest === undefined) continue;
    const targets = targetsOf(manifest["imports"], name);
    return [join(at, "package.json"), ...targets.flatMap((target) => moduleFiles(resolve(at, target)))];
  }
  return [];
}

function packageImport(name: string, folder: string, checkout: Checkout): ResolvedImport {
  const parts = name.split("/");
  const length = name.startsWith("@") ? 2 : 1;
  const [own, below] = [parts.slice(0, length).join("/"), parts.slice(length).join("/")];
  for (const at of foldersUp(folder)) {
    const place = join(at, "node_modules", own);
    if (!existsSync(place)) continue;
    const real = realPathOf(place) ?? place;
    const manifest = manifestIn(real);
    if (isOwnPackage(real, checkout)) return { files: linkedPackage(real, below, manifest) };
    const version = manifest?.["version"];
    if (typeof version === "string") return { package: `package ${own} ${version}` };
    break;
  }
  return { package: `package ${own} (not installed, or without a version)` };
}

/** Whether a path belongs to the checkout itself, such as a package of a workspace. */
export function isOwnPackage(real: string, checkout: Checkout): boolean {
  return isBelow(real, checkout.real) && !/[/\\]node_modules[/\\]/.test(real.slice(checkout.real.length));
}

function linkedPackage(folder: string, below: string, manifest: Manifest | undefined): readonly string[] {
  const exported = targetsOf(manifest?.["exports"], below === "" ? "." : `./${below}`);
  const places = below === "" ? [folder] : [join(folder, below)];
  return [
    ...new Set([...exported.map((target) => join(folder, target)), ...places].flatMap(moduleFiles)),
    join(folder, "package.json"),
  ].filter(isFile);
}

type Manifest = Readonly<Record<string, unknown>>;

/** The package.json of a folder; undefined when it is missing or invalid. Throws `NotApprovable` for a pipe or a file that is too large. */
export function manifestIn(folder: string): Manifest | undefined {
  const path = join(folder, "package.json");
  const entry = readEntry(path);
  if (typeof entry === "string") return undefined;
  if ("unusable" in entry) throw new NotApprovable(`${path} ${entry.unusable}`);
  return parseObject(entry.bytes.toString("utf8"));
}

function mainsOf(manifest: Manifest | undefined): readonly string[] {
  return [manifest?.["main"], manifest?.["module"], ...leaves(manifest?.["exports"])].filter(
    (one) => typeof one === "string",
  );
}

/** The targets of a name in `imports` or `exports`, under any condition. */
function targetsOf(map: unknown, name: string): readonly string[] {
  if (typeof map === "string" || Array.isArray(map)) return name === "." ? leaves(map) : [];
  if (!isObject(map)) return [];
  if (!Object.keys(map).some((key) => /^[.#]/.test(key))) return name === "." ? leaves(map) : [];
  return Object.entries(map).flatMap(([key, value]) => {
    const [before = "", after] = key.split("*");
    if (after === undefined) return key === name ? leaves(value) : [];
    if (!name.startsWith(before) || !name.endsWith(after)) return [];
    const filling = name.slice(before.length, name.length - after.length);
    return leaves(value).map((leaf) => leaf.replaceAll("*", filling));
  });
}

function leaves(value: unknown, depth = 0): readonly string[] {
  if (typeof value === "string") return [value];
  if (depth > 8 || typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((inner) => leaves(inner, depth + 1));
}

/** A folder and its parents; within a checkout, up to its root. */
export function foldersUp(folder: string, within?: Checkout): readonly string[] {
  const up = [folder];
  for (let at = folder; dirname(at) !== at && at !== within?.real; at = dirname(at)) up.push(dirname(at));
  return up;
}

export function isFile(path: string): boolean {
  return kindAt(path) === "file";
}

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fieldOf, isObject, parseObject } from "../../../protocol/internal.ts";
import { insidePath, readEntry, realPathOf, type ScriptWalk } from "./gather-files.ts";
import { foldersUp, isFile, isOwnPackage, manifestIn } from "./javascript.ts";
import { coverPartOfFile, foldersWith, reportNotCovered } from "./script-walk.ts";
import { unknown } from "./word-values.ts";

/** Files of a folder that change what a package manager runs. */
const settings = [".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", "pnpm-workspace.yaml", "bunfig.toml"];

/** `npm run NAME` and similar: the script, its pre and post scripts, and what they run. */
export function coverPackageCall(program: string, args: readonly string[], script: ScriptWalk): void {
  const call = `${program} ${args.join(" ").replaceAll(unknown, "…")}`.trim();
  const { words, folders, isElsewhere } = readCall(args);
  const there: ScriptWalk = { ...script, folders: foldersWith(folders, script) };
  if (isElsewhere) reportNotCovered(call, "scripts of other packages of the workspace", script);
  const [verb = "", next = ""] = words;
  const name = /^(?:run|run-script|rum|urn)$/.test(verb) ? next : (aliases[verb] ?? verb);
  const isTool = /^(?:exec|x|dlx)$/.test(verb);
  if (isTool || /^(?:npx|pnpx|bunx)$/.test(program)) coverTool(isTool ? next : verb, call, there);
  else if (name === "" || name.includes(unknown)) reportNotCovered(call, "which script it runs is not known", script);
  else if (there.folders.filter((folder) => coverPackageScript(name, folder, script)).length === 0) {
    // Without a script of that name, yarn and pnpm run the program of a package.
    if (program !== "npm") coverTool(name, call, there);
    else reportNotCovered(call, "no package.json in the folder has this script; it may run code of packages", script);
  }
}

const aliases: Readonly<Record<string, string>> = { t: "test", tst: "test" };

/** The words of a call, folders that it names, and whether it is about other packages. */
function readCall(args: readonly string[]) {
  const [words, folders]: [string[], string[]] = [[], []];
  let isElsewhere = false;
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? "";
    if (arg === "--") break;
    const [, attached] = /^(?:--prefix|--dir|--cwd|-C)=(.*)/.exec(arg) ?? [];
    if (attached !== undefined) folders.push(attached);
    else if (/^(?:--prefix|--dir|--cwd|-C)$/.test(arg)) folders.push(args[++index] ?? "");
    else if (/^(?:-w|--workspaces?|-r|--recursive|--filter|-F)(?:=|$)/.test(arg)) isElsewhere = true;
    else if (!arg.startsWith("-") && arg !== "") words.push(arg);
  }
  return { words, folders, isElsewhere };
}

/** True when the nearest package.json has the script. */
function coverPackageScript(name: string, from: string, script: ScriptWalk): boolean {
  const { checkout } = script.collector;
  const folder = foldersUp(from, checkout).find((at) => isFile(join(at, "package.json")));
  const path = folder && insidePath(join(folder, "package.json"), checkout);
  if (folder === undefined || path === undefined) return false;
  const scripts = manifestIn(folder)?.["scripts"];
  if (!isObject(scripts)) return false;
  const names = name === "restart" ? ["restart", "stop", "start"] : [name];
  const found = names
    .flatMap((one) => [`pre${one}`, one, `post${one}`])
    .filter((one) => typeof scripts[one] === "string");
  for (const one of found) coverPartOfFile(`${path}#scripts.${one}`, String(scripts[one]), folder, script);
  if (name === "start" && !found.includes("start")) script.collector.cover(join(folder, "server.js"), "javascript");
  for (const file of settings) script.collector.cover(join(folder, file));
  return found.some((one) => names.includes(one));
}

function coverTool(name: string, call: string, script: ScriptWalk): void {
  const found = packageOfProgram(name.replace(/(?<=.)@[^/]*$/, ""), script);
  if (found !== "covered")
    reportNotCovered(call, `runs ${found ?? `the package ${name}, which is not installed here`}`, script);
}

/** The installed package that provides a program, with its version; "covered" when it belongs to the checkout. */
export function packageOfProgram(name: string, script: ScriptWalk): string | undefined {
  for (const folder of script.folders) {
    for (const at of foldersUp(folder)) {
      const place = join(at, "node_modules", ".bin", name);
      if (name.includes("/") || !existsSync(place)) continue;
      const real = realPathOf(place) ?? place;
      if (isOwnPackage(real, script.collector.checkout)) {
        script.collector.cover(real, "javascript");
        return "covered";
      }
      return packageAt(dirname(real)) ?? name;
    }
  }
  return undefined;
}

/** Name and version of the package that a folder belongs to. */
export function packageAt(folder: string): string | undefined {
  for (const at of foldersUp(folder)) {
    const manifest = manifestIn(at);
    if (typeof manifest?.["name"] === "string")
      return `package ${manifest["name"]} ${typeof manifest["version"] === "string" ? manifest["version"] : "(no version)"}`;
  }
  return undefined;
}

/** `bun NAME`, `bun run NAME`: a script of package.json, unless it is a file. */
export function coverBun(texts: readonly string[], script: ScriptWalk): void {
  const words = texts.filter((text) => !text.startsWith("-"));
  const [first, second] = words;
  const name = first === "run" ? second : first;
  if (name === undefined) return;
  const isFile = script.folders.some((folder) => script.collector.cover(join(folder, name), "javascript") === "file");
  if (!isFile) coverPackageCall("bun", texts, script);
}

/** `deno task NAME`: the text of that task, and what it runs. */
export function coverDenoTask(texts: readonly string[], script: ScriptWalk): void {
  const { checkout } = script.collector;
  const name = texts.slice(1).find((text) => !text.startsWith("-"));
  const manifests = script.folders
    .flatMap((folder) => foldersUp(folder, checkout))
    .flatMap((at) => ["deno.json", "deno.jsonc", "package.json"].map((file) => join(at, file)));
  let found = false;
  for (const place of new Set(manifests)) {
    const text = name === undefined ? undefined : taskIn(place, name);
    if (text === undefined) continue;
    found = true;
    coverPartOfFile(`${insidePath(place, checkout) ?? place}#${name}`, text, dirname(place), script);
  }
  if (!found) reportNotCovered(`deno task ${name ?? ""}`.trim(), "no file in the folder defines this task", script);
}

function taskIn(place: string, name: string): string | undefined {
  const entry = readEntry(place);
  if (typeof entry === "string" || "unusable" in entry) return undefined;
  // If it has comments or is invalid, the caller reports that the task is not known.
  const value = parseObject(entry.bytes.toString("utf8"));
  const task = fieldOf(value?.["tasks"] ?? value?.["scripts"], name);
  const text = isObject(task) ? task["command"] : task;
  return typeof text === "string" ? text : undefined;
}

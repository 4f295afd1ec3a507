import { basename, dirname, join } from "node:path";
import { type Fs, sha256 } from "../../files/internal.ts";
import type { Rows } from "./check-hooks.ts";
import { frontmatterHooks } from "./frontmatter-hooks.ts";
import type { Frontmatter, Layer } from "./layer.ts";
import { type LayerSource, layerOf, unreadable } from "./read-layer.ts";
import { namesIn, readSourceFile, realPath } from "./settings-source.ts";

/** The hooks of all agents or skills, one layer per file that has any: the person's first, then the project's. */
export async function frontmatterLayers(
  of: Frontmatter["of"],
  places: {
    readonly cwd: string;
    readonly clientHome: string;
    readonly settingSources?: readonly ("user" | "project" | "local")[];
  },
  fs: Fs,
  rows: Rows,
): Promise<Layer[]> {
  const user = join(places.clientHome, `${of}s`);
  const project = join(places.cwd, ".claude", `${of}s`);
  const reads = (source: "user" | "project"): boolean => places.settingSources?.includes(source) ?? true;
  const [userReal, projectReal] = await Promise.all([realPath(user, fs), realPath(project, fs)]);
  const same = userReal !== undefined && userReal === projectReal;
  const found = await Promise.all([
    reads("user") ? layersIn(user, { of, from: "user" }, fs, rows) : [],
    !reads("project") || (same && reads("user")) ? [] : layersIn(project, { of, from: "project" }, fs, rows),
  ]);
  return found.flat();
}

type Origin = Omit<Frontmatter, "name">;

/** Agents are single files, skills folders with a file in them. */
async function layersIn(folder: string, origin: Origin, fs: Fs, rows: Rows): Promise<Layer[]> {
  const names = await namesIn(folder, fs);
  if ("why" in names) return [unreadable(sourceOf(folder, origin), names.why)];
  const files =
    origin.of === "agent" ? names.filter((name) => name.endsWith(".md")) : names.map((name) => join(name, "SKILL.md"));
  const layers: Layer[] = [];
  // One after another: a checkout may hold more of them than we may open at once.
  for (const name of files) layers.push(...(await layersOf(join(folder, name), origin, fs, rows)));
  return layers;
}

async function layersOf(file: string, origin: Origin, fs: Fs, rows: Rows): Promise<Layer[]> {
  const found = await readSourceFile(file, fs);
  if (found.is === "missing") return [];
  if (found.is === "unreadable") return [unreadable(sourceOf(file, origin), found.why)];
  const read = await frontmatterHooks(Buffer.from(found.bytes).toString("utf8"));
  if (read === undefined) return [];
  const contentHash = sha256(found.bytes);
  if ("fault" in read) {
    const { line, why } = read.fault;
    return [unreadable(sourceOf(file, origin), `line ${line}: ${why}`, contentHash, String(line))];
  }
  return [layerOf(sourceOf(file, origin, read.name), { hooks: read.hooks }, contentHash, rows)];
}

function sourceOf(file: string, { of, from }: Origin, name?: string): LayerSource {
  const named = name ?? (of === "agent" ? basename(file, ".md") : basename(dirname(file)));
  return {
    kind: of,
    file,
    frontmatter: { of, name: named, from },
    // Hooks of one skill are never duplicates of another's; they are written against its folder.
    ...(of === "skill" ? { plugin: { root: dirname(file) } } : {}),
  };
}

import { join } from "node:path";
import { look } from "../find/list-folder.ts";
import type { Root } from "../find/session-roots.ts";
import { fieldsOf, readIfThere } from "./client-json.ts";

/** Feature flags as an older client cached them. */
export interface Flags {
  readonly gates: ReadonlyMap<string, boolean>;
  readonly configs: ReadonlyMap<string, unknown>;
  readonly modifiedAtMs?: number;
  readonly stale: boolean;
  readonly file: string;
}

export interface FlagOptions {
  readonly ttlMs?: number;
  readonly allowStale?: boolean;
  readonly now?: () => number;
}

const day = 24 * 60 * 60 * 1000;

/** `statsig/statsig.cached.evaluations.<hash>`: the newest one. Nothing once it is older than its time, unless that is allowed. */
export async function loadFlags(
  root: Root,
  { ttlMs = day, allowStale = false, now = Date.now }: FlagOptions = {},
): Promise<Flags | undefined> {
  const folder = join(root.path, "statsig");
  const times = await readJson(join(folder, "statsig.last_modified_time.evaluations"));
  const cached: Flags[] = [];
  for (const { name, path } of await look(root.path, folder)) {
    if (!name.startsWith("statsig.cached.evaluations.")) continue;
    const content = fieldsOf(await readJson(path));
    const data = fieldsOf(typeof content["data"] === "string" ? parse(content["data"]) : content["data"]);
    const modifiedAtMs = timeOf(times, name) ?? timeOf(content["receivedAt"], name);
    const stale = modifiedAtMs === undefined || now() - modifiedAtMs > ttlMs;
    cached.push({
      gates: gatesIn(fieldsOf(data["feature_gates"])),
      configs: configsIn(fieldsOf(data["dynamic_configs"])),
      ...(modifiedAtMs === undefined ? {} : { modifiedAtMs }),
      stale,
      file: path,
    });
  }
  const newest = cached.sort((a, b) => (b.modifiedAtMs ?? 0) - (a.modifiedAtMs ?? 0))[0];
  return newest === undefined || (newest.stale && !allowStale) ? undefined : newest;
}

/** One time for all, or a map from file names to times. */
function timeOf(times: unknown, name: string): number | undefined {
  if (typeof times === "number") return times;
  const time = fieldsOf(times)[name];
  return typeof time === "number" ? time : undefined;
}

function gatesIn(gates: Record<string, unknown>): Map<string, boolean> {
  return new Map(
    Object.entries(gates).map(([name, gate]) => [name, gate === true || fieldsOf(gate)["value"] === true]),
  );
}

function configsIn(configs: Record<string, unknown>): Map<string, unknown> {
  return new Map(
    Object.entries(configs).map(([name, config]) => [
      name,
      "value" in fieldsOf(config) ? fieldsOf(config)["value"] : config,
    ]),
  );
}

async function readJson(path: string): Promise<unknown> {
  const bytes = await readIfThere(path);
  return bytes === undefined ? undefined : parse(bytes.toString("utf8"));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A cache that cannot be read is no cache.
    return undefined;
  }
}

import { join } from "node:path";
import type { Case, Given } from "./case.ts";
import { fill } from "./fill.ts";
import { refusingUrl, startHookServer } from "./hook-server.ts";
import type { Scene } from "./occasion.ts";
import { makeWorld, type World, writeFiles } from "./world.ts";

/** The world of a case, created for each side, with all placeholders filled in. */
export interface Stage {
  readonly world: World;
  readonly given: Given;
  readonly scene: Scene;
  /** Paths that http hooks asked for. */
  requested(): readonly string[];
  clear(): Promise<void>;
}

export async function setStage(item: Case): Promise<Stage> {
  const server = await startHookServer(item.given.http ?? {});
  const world = await makeWorld();
  const places = { project: world.project, home: world.home, http: server.url, refused: await refusingUrl() };
  const given = fill(item.given, places);
  await writeFiles(world.project, given.files ?? {});
  await writeFiles(world.root, layerFiles(given));
  return {
    world,
    given,
    scene: { ...fill(item.when, places), interop: item.interop, project: world.project },
    requested: () => server.requested,
    async clear() {
      await server.close();
      await world.remove();
    },
  };
}

function layerFiles(given: Given): Record<string, string> {
  const places = {
    settings: join("home", ".claude", "settings.json"),
    project: join("project", ".claude", "settings.json"),
    local: join("project", ".claude", "settings.local.json"),
  };
  const files: Record<string, string> = {};
  for (const layer of ["settings", "project", "local"] as const) {
    if (given[layer] !== undefined) files[places[layer]] = JSON.stringify(given[layer], null, 2);
  }
  return files;
}

import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Given, HttpAnswer } from "./case.ts";

/** A case's world on disk: a home, a project, settings files and perhaps a server. */
export interface World {
  readonly home: string;
  readonly project: string;
  readonly extra: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Puts the folders and the server's address in the place of `{{…}}`. */
  fill<T>(value: T): T;
  end(): Promise<void>;
}

export async function makeWorld(given: Given): Promise<World> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "hookline-conformance-")));
  const home = join(root, "home");
  const project = join(root, "project");
  const server = given.http === undefined ? undefined : await serve(given.http);
  const address = server === undefined ? "" : `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fill = <T>(value: T): T =>
    JSON.parse(
      JSON.stringify(value)
        .replaceAll("{{home}}", home)
        .replaceAll("{{project}}", project)
        .replaceAll("{{http}}", address),
    );

  await put(join(home, ".claude", "settings.json"), given.settings && fill(given.settings));
  await put(join(project, ".claude", "settings.json"), given.project && fill(given.project));
  await put(join(project, ".claude", "settings.local.json"), given.local && fill(given.local));
  await mkdir(project, { recursive: true });
  await mkdir(home, { recursive: true });
  for (const [name, text] of Object.entries(given.files ?? {})) {
    await mkdir(dirname(join(project, name)), { recursive: true });
    await writeFile(join(project, name), text);
  }
  const extra = await Promise.all(
    (given.extra ?? []).map(async (settings, index) => {
      const file = join(root, `extra-${index}.json`);
      await put(file, fill(settings));
      return file;
    }),
  );
  return {
    home,
    project,
    extra,
    env: { PATH: process.env["PATH"] ?? "", HOME: home, HOOKLINE_HOME: join(root, "state"), ...fill(given.env ?? {}) },
    fill,
    async end() {
      server?.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}

async function put(file: string, value: unknown): Promise<void> {
  if (value === undefined) return;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify(value, null, 2));
}

function serve(answers: Readonly<Record<string, HttpAnswer>>): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      const { status = 200, body = "", delayMs = 0 } = answers[request.url ?? ""] ?? { status: 404 };
      const text = typeof body === "string" ? body : JSON.stringify(body);
      setTimeout(() => response.writeHead(status, { "content-type": "application/json" }).end(text), delayMs);
    });
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

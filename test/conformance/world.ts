import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Given, HttpAnswer } from "./case.ts";
import { differences } from "./compare.ts";

/** A case's world on disk: a home, a project, settings files and perhaps a server. */
export interface World {
  readonly home: string;
  readonly project: string;
  readonly extra: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What requests lacked of what the case says they must hold. */
  readonly unasked: readonly string[];
  /** Puts the folders and the server's address in the place of `{{…}}`. */
  fill<T>(value: T): T;
  end(): Promise<void>;
}

export async function makeWorld(given: Given): Promise<World> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "hookline-conformance-")));
  const home = join(root, "home");
  const project = join(root, "project");
  const unasked: string[] = [];
  const answerTo = (path: string): HttpAnswer => fill(given.http?.[path] ?? { status: 404 });
  const server =
    given.http === undefined ? undefined : await serve(answerTo, (lines: readonly string[]) => unasked.push(...lines));
  const address = server === undefined ? "" : `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fill = <T>(value: T): T =>
    JSON.parse(
      JSON.stringify(value)
        .replaceAll("{{home}}", home)
        .replaceAll("{{project}}", project)
        .replaceAll("{{http}}", address),
    );

  await mkdir(project, { recursive: true });
  await mkdir(home, { recursive: true });
  await put(join(home, ".claude", "settings.json"), given.settings && fill(given.settings));
  await put(join(project, ".claude", "settings.json"), given.project && fill(given.project));
  await put(join(project, ".claude", "settings.local.json"), given.local && fill(given.local));
  for (const [name, content] of Object.entries(given.files ?? {})) await put(join(project, name), fill(content));
  const extra = (given.extra ?? []).map((_, index) => join(root, `extra-${index}.json`));
  for (const [index, file] of extra.entries()) await put(file, fill(given.extra?.[index]));
  return {
    home,
    project,
    extra,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      HOOKLINE_HOME: join(root, "state"),
      // A busy machine may need longer to start a shell than the end of a session allows.
      CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS: "60000",
      ...fill(given.env ?? {}),
    },
    unasked,
    fill,
    async end() {
      server?.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** A text unchanged, anything else as one line of JSON. */
async function put(file: string, content: unknown): Promise<void> {
  if (content === undefined) return;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, typeof content === "string" ? content : `${JSON.stringify(content)}\n`);
}

function serve(answerTo: (path: string) => HttpAnswer, onUnasked: (lines: readonly string[]) => void): Promise<Server> {
  const server = createServer(async (request, response) => {
    const { status = 200, headers = {}, body = "", delayMs = 0, asked } = answerTo(request.url ?? "");
    const sent = { method: request.method, headers: request.headers, body: await bodyOf(request) };
    onUnasked(asked === undefined ? [] : differences(asked, sent, "request"));
    const text = typeof body === "string" ? body : JSON.stringify(body);
    setTimeout(() => response.writeHead(status, { "content-type": "application/json", ...headers }).end(text), delayMs);
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return JSON.parse(text);
}

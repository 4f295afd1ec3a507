import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join, resolve } from "node:path";
import { daemonStatus, endpointFor, stopDaemon } from "../../src/daemon/internal.ts";
import { compileClient, findCompiler } from "../../src/install/client/compile-client.ts";
import { bundlePackage } from "../sdk/bundled.ts";

export { app, denial, event, guard } from "../sdk/guard-app.ts";

const root = resolve(import.meta.dirname, "../..");

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The shipped script, and the program that is compiled from the source next to it. */
export type ClientForm = "script" | "compiled";

/** Both, where there is a C compiler. */
export const clientForms: readonly ClientForm[] =
  findCompiler(process.env) === undefined ? ["script"] : ["script", "compiled"];
if (clientForms.length === 1) console.log("the compiled client is skipped: there is no C compiler (cc) in PATH");

/** A project with an app, the package as it is shipped, and whatever daemons its clients start. */
export interface DaemonWorld {
  readonly folder: string;
  readonly project: string;
  readonly env: Readonly<Record<string, string>>;
  readonly program: string;
  file(name: string, text: string): string;
  /** The path of the shipped client. */
  clientPath(form?: ClientForm): Promise<string>;
  /** The shipped client, as a host calls it. */
  client(words: readonly string[], input: string, options?: CallOptions): Promise<Ran>;
  /** `hookline …` */
  cli(words: readonly string[], options?: CallOptions & { input?: string }): Promise<Ran>;
  start(words: readonly string[], options?: CallOptions): ChildProcess;
  /** Starts a daemon and waits until it answers. */
  serve(file: string, ...words: readonly string[]): Promise<{ pid: number; port: number }>;
  /** One http call, as a host with an entry of type http makes it. */
  post(file: string, payload: unknown, options?: PostOptions): Promise<HttpAnswer>;
  log(): readonly Readonly<Record<string, unknown>>[];
  remove(): Promise<void>;
}

export interface CallOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Default: the script. */
  readonly form?: ClientForm;
  /** Leaves standard input open. */
  readonly open?: boolean;
}

export interface PostOptions {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly query?: string;
  readonly signal?: AbortSignal;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export async function openDaemonWorld(): Promise<DaemonWorld> {
  const bundled = await bundlePackage();
  const { folder, project } = bundled;
  cpSync(join(root, "client"), join(folder, "package/client"), { recursive: true });
  const program = join(folder, "package/dist/cli/bin.cjs");
  const state = join(folder, "state");
  // A script that finds the compiled client hands over to it; here each is asked by itself.
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder, HOOKLINE_HOME: state, HOOKLINE_CLIENT: "script" };
  const served = new Set<string>();
  const start: DaemonWorld["start"] = ([name = "", ...words], { env: more, cwd = project } = {}) =>
    spawn(name, words, { cwd, env: { ...env, ...more } });
  const ran = (words: readonly string[], input: string, options: CallOptions = {}) =>
    ending(start(words, options), input, options.open ?? false);
  const packageRoot = join(folder, "package");
  let compiled: ReturnType<typeof compileClient> | undefined;
  const clientPath = async (form: ClientForm = "script"): Promise<string> => {
    if (form === "script") return join(packageRoot, "client/hookline-client");
    const home = { env: { HOOKLINE_HOME: join(folder, "compiled") } };
    compiled ??= compileClient({ packageRoot, home, env: process.env });
    const made = await compiled;
    if ("why" in made) throw new Error(made.why);
    return made.program;
  };
  const world: DaemonWorld = {
    folder,
    project,
    env,
    program,
    start,
    file(name, text) {
      const path = join(project, name);
      writeFileSync(path, text);
      served.add(path);
      return path;
    },
    clientPath,
    client: async (words, input, options) => ran([await clientPath(options?.form), ...words], input, options),
    cli: (words, { input = "", ...options } = {}) => ran([process.execPath, program, ...words], input, options),
    async serve(file, ...words) {
      const { code, stdout, stderr } = await world.cli(["serve", file, "--json", ...words]);
      if (code !== 0) throw new Error(`no daemon: ${stdout}${stderr}`);
      return JSON.parse(stdout) as { pid: number; port: number };
    },
    async post(file, payload, options = {}) {
      const { port, token, url } = await endpointFor(file, { env });
      return httpCall({ port, token, url, payload, ...options });
    },
    log() {
      const path = join(state, "log/hooks.jsonl");
      if (!existsSync(path)) return [];
      const lines = readFileSync(path, "utf8").split("\n");
      // After the last line feed there is nothing, or a line that is just being written.
      return lines.slice(0, -1).map((line) => JSON.parse(line) as Record<string, unknown>);
    },
    async remove() {
      for (const file of served) if (existsSync(file)) await stopDaemon(file, { env }).catch(() => false);
      bundled.remove();
    },
  };
  return world;
}

function ending(child: ChildProcess, input: string, open: boolean): Promise<Ran> {
  return new Promise((done, fail) => {
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout?.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr?.on("data", (chunk: Buffer) => err.push(chunk));
    child.on("error", fail);
    child.on("close", (code) =>
      done({ code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() }),
    );
    child.stdin?.on("error", () => undefined);
    child.stdin?.write(input);
    if (!open) child.stdin?.end();
  });
}

function httpCall(call: PostOptions & { port: number; token: string; url: string; payload: unknown }) {
  const { port, token, url, payload, path, method = "POST", headers = {}, query = "", signal } = call;
  const body = typeof payload === "string" ? payload : JSON.stringify(payload);
  const all: Record<string, string | undefined> = {
    Authorization: `Bearer ${token}`,
    "Content-Type": "application/json",
    ...(method === "GET" ? {} : { "Content-Length": String(Buffer.byteLength(body)) }),
    ...headers,
  };
  const given = Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  return new Promise<HttpAnswer>((done, fail) => {
    const asked = request(
      {
        host: "127.0.0.1",
        port,
        method,
        path: path ?? new URL(url).pathname + query,
        headers: given,
        agent: false,
        setHost: headers["Host"] === undefined && !("Host" in headers),
        ...(signal === undefined ? {} : { signal }),
      },
      (reply) => {
        const parts: Buffer[] = [];
        reply.on("data", (part: Buffer) => parts.push(part));
        reply.on("end", () =>
          done({ status: reply.statusCode ?? 0, headers: reply.headers, text: Buffer.concat(parts).toString() }),
        );
      },
    );
    asked.on("error", fail);
    asked.end(method === "GET" ? undefined : body);
  });
}

/** The payload of UserPromptSubmit. */
export const promptEvent = (world: DaemonWorld, prompt: string, session = "s") => ({
  hook_event_name: "UserPromptSubmit",
  session_id: session,
  cwd: world.project,
  prompt,
});

/** The context that an answer adds, if it adds any. */
export const contextIn = (answer: string) =>
  (JSON.parse(answer) as { hookSpecificOutput?: { additionalContext?: string } }).hookSpecificOutput?.additionalContext;

/** Processes of this world that serve, by their command line. */
export function daemonsOf(world: DaemonWorld): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, "utf8");
        return line.includes(world.program) && line.includes("--foreground");
      } catch {
        return false; // it has just ended
      }
    })
    .map(Number);
}

export async function isServed(world: DaemonWorld, file: string): Promise<boolean> {
  return (await daemonStatus(file, { env: world.env })) !== undefined;
}

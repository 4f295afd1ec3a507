import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { appKey } from "../../sdk/internal.ts";
import { writeEntries } from "../edit/install-entries.ts";
import { guard, stop, type World, world } from "../fixtures/world.ts";
import type { DaemonControl, Installer } from "../install-app.ts";
import type { HttpEndpoint } from "../plan/http-entries.ts";
import type { InstallScope } from "../plan/install-places.ts";
import { installReport } from "./install-findings.ts";
import { repairInstall } from "./repair-install.ts";
import { statusOf } from "./scope-status.ts";

/** A daemon that says what the test wants it to, and remembers what was asked of it. */
function daemonDoor(
  facts: { version?: string; port?: number; fresh?: HttpEndpoint } = {},
): DaemonControl & { readonly asked: string[] } {
  const asked: string[] = [];
  const { version, port = 1, fresh } = facts;
  return {
    asked,
    endpointFor: async (_, options) => {
      asked.push(`endpoint ${options?.fresh === true ? "fresh" : ""}`);
      if (fresh === undefined) throw new Error("no endpoint");
      return fresh;
    },
    daemonStatus: async () => (version === undefined ? undefined : { pid: 7, since: 0, port, version, sourceHash: "" }),
    stopDaemon: async () => asked.push("stop") > 0,
    dropEndpoint: async () => undefined,
  };
}

const installerOf = (here: World, daemon = daemonDoor()): Installer => ({
  packageRoot: here.folder,
  version: "1.0.0",
  node: process.execPath,
  home: here.source(),
  daemon,
  now: () => new Date(),
});
const standpointOf = ({ project, home }: World, env: Readonly<Record<string, string>> = {}) => ({
  cwd: project,
  home,
  env: { PATH: process.env["PATH"] ?? "", ...env },
});

async function driftOf(here: World): Promise<readonly string[]> {
  const all = await statusOf(standpointOf(here), installerOf(here), undefined, "nothing");
  return all.flatMap(({ places, drift }) => drift.map(({ kind, message }) => `${places.scope} ${kind}: ${message}`));
}

async function codesOf(
  here: World,
  installer = installerOf(here),
  env: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  return (await installReport(standpointOf(here, env), installer)).findings.map(({ code }) => code);
}

/** Installed, with a package that is there. */
async function installed(options: Parameters<World["call"]>[0] = {}): Promise<World> {
  const here = world();
  putClient(here, options.scope);
  await writeEntries(here.call(options));
  return here;
}

function putClient({ folder, project }: World, scope: InstallScope = "project"): string {
  const client = join(scope === "project" ? project : folder, "node_modules", "hookline", "client");
  mkdirSync(client, { recursive: true });
  writeFileSync(join(client, "hookline-client"), "#!/bin/bash\n", { mode: 0o755 });
  return join(client, "hookline-client");
}

test("as installed there is no drift, and no other scope has anything", async () => {
  const here = await installed();
  const all = await statusOf(standpointOf(here), installerOf(here), undefined, "nothing");
  expect(
    all.map(({ places, installed, entries, drift }) => [places.scope, installed, entries.length, drift.length]),
  ).toEqual([
    ["project", true, 4, 0],
    ["local", false, 0, 0],
    ["user", false, 0, 0],
  ]);
});

test("missing or altered entries, a lost lock file and a lost hooks file are reported", async () => {
  const here = await installed();
  const { settingsFile, lockFile } = here.call().places;
  const settings = JSON.parse(readFileSync(settingsFile, "utf8")) as { hooks: Record<string, { matcher?: string }[]> };
  const { Stop: _, ...hooks } = settings.hooks;
  for (const group of hooks["PreToolUse"] ?? []) group.matcher = "Bash";
  writeFileSync(settingsFile, JSON.stringify({ hooks }));
  rmSync(here.hooksFile);
  expect(await driftOf(here)).toEqual([
    "project entry-missing: The entry for Stop is missing from the settings.",
    "project entry-altered: The entry for PreToolUse is not as it was installed.",
    `project hooks-file-missing: The hooks file ${here.hooksFile} does not exist. Restore it, install another one, or run: hookline uninstall --scope project`,
  ]);
  rmSync(lockFile);
  expect(await driftOf(here)).toContainEqual(
    `project lock-missing: ${lockFile} is missing; hookline install writes it again.`,
  );
});

test("in a clone, where there is no record, an entry whose matcher is not what the lock file says is reported", async () => {
  const here = await installed();
  const { settingsFile } = here.call().places;
  rmSync(join(here.state, "installs"), { recursive: true });
  expect(await driftOf(here)).toEqual([]);
  const text = readFileSync(settingsFile, "utf8");
  const withMatcher = (matcher: string) => writeFileSync(settingsFile, text.replace('"Bash|Write"', `"${matcher}"`));
  withMatcher("Bsh|Write");
  const altered = "project entry-altered: The entry for PreToolUse is not as it was installed.";
  expect(await driftOf(here)).toEqual([altered]);
  withMatcher("Write");
  expect(await driftOf(here)).toEqual([altered]);
  withMatcher("*");
  expect(await driftOf(here)).toEqual([]);
});

test("the same app in two scopes with equal entries runs once, which is a note and no drift", async () => {
  const here = await installed();
  const local = here.call({ scope: "local" });
  const { planned } = here.call();
  await writeEntries({ ...local, planned });
  const all = await statusOf(standpointOf(here), installerOf(here), undefined, "nothing");
  const once = "too; its entries there are equal, so its handlers run once.";
  expect(
    all.map(({ places, drift, notes }) => [places.scope, drift.some(({ kind }) => kind === "two-scopes"), notes]),
  ).toEqual([
    ["project", false, [expect.stringContaining(`The same app is installed in local scope ${once}`)]],
    ["local", false, [expect.stringContaining(`The same app is installed in project scope ${once}`)]],
    ["user", false, []],
  ]);
});

test("the same app in two scopes, and a switch that turns every hook off, are reported", async () => {
  const here = await installed();
  putClient(here, "local");
  await writeEntries(here.call({ scope: "local" }));
  const { settingsFile } = here.call({ scope: "user", transport: "http" }).places;
  mkdirSync(join(here.home, ".claude"));
  writeFileSync(settingsFile, '{"disableAllHooks": true}');
  const off = `disableAllHooks in ${settingsFile} switches every hook off.`;
  expect(await driftOf(here)).toEqual([
    `project disabled: ${off}`,
    "project two-scopes: The same app is installed in local scope too; its handlers run twice. hookline uninstall --scope local removes it there.",
    `local disabled: ${off}`,
    "local two-scopes: The same app is installed in project scope too; its handlers run twice. hookline uninstall --scope project removes it there.",
  ]);
  const { findings } = await installReport(standpointOf(here), installerOf(here));
  expect(findings.filter(({ message }) => message.includes("its handlers run twice"))).toHaveLength(2);
});

test("HOOKLINE=0 in the environment or in the env of settings is reported as a switch that turns every hook off", async () => {
  const here = await installed();
  const off = (where: string) =>
    `HOOKLINE=0 in ${where} switches off every hook of Hookline apps in agents that pass it to hooks. Remove it to switch them on.`;
  const local = here.call({ scope: "local" }).places.settingsFile;
  writeFileSync(local, '{"env": {"HOOKLINE": "0"}}');
  expect(await driftOf(here)).toEqual([`project disabled: ${off(`env of ${local}`)}`]);
  writeFileSync(local, '{"env": {"HOOKLINE": "1"}}');
  expect(await driftOf(here)).toEqual([]);
  const target = standpointOf(here, { HOOKLINE: "0" });
  const [project] = await statusOf(target, installerOf(here), ["project"], "nothing");
  expect(project?.drift).toEqual([{ kind: "disabled", message: off("the environment") }]);
});

test("in user scope a switch of the project around is reported, which turns the user's hooks off there in Claude Code", async () => {
  const here = await installed({ scope: "user" });
  const { settingsFile } = here.call({ scope: "project" }).places;
  writeFileSync(settingsFile, '{"disableAllHooks": true}');
  expect(await driftOf(here)).toEqual([`user disabled: disableAllHooks in ${settingsFile} switches every hook off.`]);
});

test("a policy that allows only managed hooks is reported", async () => {
  const here = await installed();
  const managedFolder = join(here.folder, "policy");
  mkdirSync(managedFolder);
  writeFileSync(join(managedFolder, "managed-settings.json"), '{"allowManagedHooksOnly": true}');
  const [project] = await statusOf({ ...standpointOf(here), managedFolder }, installerOf(here), ["project"], "nothing");
  expect(project?.drift).toEqual([
    {
      kind: "disabled",
      message: `The policy in ${join(managedFolder, "managed-settings.json")} lets managed hooks run only.`,
    },
  ]);
});

test("a damaged group of ours counts as altered, and reading it does not throw", async () => {
  const here = await installed({ scope: "user", transport: "http", needs: [stop] });
  const { places } = here.call({ scope: "user", transport: "http" });
  const settings = JSON.parse(readFileSync(places.settingsFile, "utf8")) as { hooks: { Stop: { hooks: unknown[] }[] } };
  settings.hooks.Stop[0]?.hooks.unshift(null, "x");
  writeFileSync(places.settingsFile, JSON.stringify(settings));
  expect(await driftOf(here)).toEqual([
    expect.stringMatching(
      /^user client-cannot-read: .*:1:\d+: hooks\.Stop\.0\.hooks\.0 must be an object, not null\. Claude Code 2\.1\.197 drops the whole file/,
    ),
    "user entry-altered: The entry for Stop is not as it was installed.",
  ]);
});

test("status reports a policy that excludes an http entry", async () => {
  const here = await installed({ scope: "user", transport: "http", needs: [stop], tokenEnv: "HOOK_TOKEN" });
  const managedFolder = join(here.folder, "policy");
  const policy = join(managedFolder, "managed-settings.json");
  mkdirSync(managedFolder);
  const drifts = async (settings: object) => {
    writeFileSync(policy, JSON.stringify(settings));
    const at = { ...standpointOf(here), managedFolder };
    const [user] = await statusOf(at, installerOf(here), ["user"], "nothing");
    return user?.drift.map(({ kind, message }) => `${kind}: ${message}`);
  };
  const quoted = `'${here.hooksFile.replaceAll("'", `'\\''`)}'`;
  const wayOut = `hookline install ${quoted} --scope user --transport client does without http.`;
  expect(await drifts({ allowedHttpHookUrls: ["https://hooks.example.com/*"] })).toEqual([
    `url-forbidden: allowedHttpHookUrls in ${policy} does not list http://127.0.0.1:4711, so the http entries for Stop are never called; ${wayOut}`,
  ]);
  expect(
    await drifts({ allowedHttpHookUrls: ["http://127.0.0.1:*/*"], httpHookAllowedEnvVars: ["HOOK_TOKEN"] }),
  ).toEqual([]);
  expect(await drifts({ httpHookAllowedEnvVars: ["OTHER"] })).toEqual([
    `url-forbidden: httpHookAllowedEnvVars in ${policy} does not list the variable that holds the token, so the http entries for Stop are turned away; ${wayOut}`,
  ]);
  expect(await drifts({ strictPluginOnlyCustomization: true })).toEqual([
    `disabled: The policy in ${policy} lets hooks of plugins and managed hooks run only.`,
  ]);
});

test("a settings file that is not valid JSON is a problem when editing, and client-cannot-read for status and doctor", async () => {
  const here = await installed();
  writeFileSync(here.call().places.settingsFile, "{");
  await expect(driftOf(here)).rejects.toMatchObject({ code: "settings/unreadable" });
  const found = await statusOf(standpointOf(here), installerOf(here), ["project"], "nothing", "report");
  expect(found).toMatchObject([{ installed: true, broken: true, drift: [{ kind: "client-cannot-read" }] }]);
  expect(await codesOf(here)).toEqual(["client-cannot-read"]);
  writeFileSync(here.call().places.settingsFile, "");
  const [empty] = await statusOf(standpointOf(here), installerOf(here), ["project"], "nothing", "report");
  expect(empty).toMatchObject({ installed: true, broken: true, drift: [{ kind: "settings-unreadable" }] });
  expect(await codesOf(here)).toEqual([]);
  writeFileSync(here.call().places.lockFile, "{");
  expect(await codesOf(here)).toEqual(["install-drift"]);
});

test("dropped hooks, a lost package, a missing bash, a token that others can read, an old daemon and slow handlers are found; status reports the lost package too", async () => {
  const here = await installed();
  expect(await codesOf(here)).toEqual([]);
  expect(await codesOf(here, installerOf(here), { PATH: here.folder })).toEqual(["bash-missing"]);
  expect(await codesOf(here, installerOf(here, daemonDoor({ version: "0.9.0" })))).toEqual(["daemon-stale"]);
  mkdirSync(join(here.state, "log"), { recursive: true });
  const line = (ms: number) =>
    JSON.stringify({
      event: "Stop",
      handlers: [
        { name: "lint", ms },
        { name: "quick", ms: 1 },
      ],
    });
  writeFileSync(join(here.state, "log/hooks.jsonl"), `${[1500, 2, 1400, 1600, 1700].map(line).join("\n")}\n{"half`);
  expect(await codesOf(here)).toEqual(["handler-slow"]);
  rmSync(join(here.state, "log"), { recursive: true });
  rmSync(join(here.project, "node_modules"), { recursive: true });
  expect(await codesOf(here)).toEqual(["package-missing"]);
  const client = join(here.project, "node_modules/hookline/client/hookline-client");
  const lost = `${client} does not exist; hookline doctor --fix makes the entries call the installed package.`;
  expect(await driftOf(here)).toEqual([`project package-missing: ${lost}`]);
  writeFileSync(here.call().places.settingsFile, "{}");
  expect(await codesOf(here)).toEqual(["hooks-dropped"]);

  const user = await installed({ scope: "user", transport: "http", needs: [stop] });
  chmodSync(user.call({ scope: "user", transport: "http" }).places.settingsFile, 0o644);
  expect(await codesOf(user)).toContain("token-readable");
});

test("a port that another process has is reported with its owner; --fix chooses another port and a new token", async () => {
  const here = world();
  putClient(here, "user");
  const server = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await new Promise((done) => server.once("listening", done));
  const { port } = server.address() as { port: number };
  const url = (at: number) => `http://127.0.0.1:${at}/v1/hook/${appKey(here.hooksFile)}`;
  const call = here.call({
    scope: "user",
    transport: "http",
    needs: [stop],
    endpoint: { port, token: "old-token", url: url(port) },
  });
  await writeEntries(call);
  const who = process.platform === "linux" ? `process ${process.pid} (` : "an unknown process";
  expect((await driftOf(here))[0]).toContain(
    `user port-taken: Port ${port}, which the http entries name, is taken by ${who}`,
  );
  const daemon = daemonDoor({ fresh: { port: 1, token: "new-token", url: url(1) } });
  const [done] = await repairInstall(standpointOf(here), installerOf(here, daemon));
  expect([done?.message, daemon.asked]).toEqual([
    `Put the entries back into ${call.places.settingsFile}. The port is 1 now, with a new token.`,
    ["endpoint fresh"],
  ]);
  const text = readFileSync(call.places.settingsFile, "utf8");
  expect([
    text.includes("new-token"),
    text.includes("old-token"),
    text.includes(`${url(1)}?on-failure=continue&daemon`),
  ]).toEqual([true, false, true]);
  expect(await driftOf(here)).toEqual([]);
});

test("--fix puts back what the lock file describes, and only that; another user's install it leaves alone", async () => {
  const here = await installed({ needs: [guard] });
  const { settingsFile, lockFile } = here.call().places;
  const [text, lock] = [readFileSync(settingsFile, "utf8"), readFileSync(lockFile, "utf8")];
  writeFileSync(settingsFile, "{}\n");
  expect(await repairInstall(standpointOf(here), installerOf(here))).toMatchObject([{ done: true }]);
  expect([readFileSync(settingsFile, "utf8"), readFileSync(lockFile, "utf8")]).toEqual([text, lock]);
  expect(await repairInstall(standpointOf(here), installerOf(here))).toEqual([]);

  rmSync(here.state, { recursive: true });
  writeFileSync(settingsFile, "{}\n");
  expect(await repairInstall(standpointOf(here), installerOf(here))).toMatchObject([
    { done: false, message: expect.stringContaining("hookline install fixes it") },
  ]);
  rmSync(lockFile);
  expect(await repairInstall(standpointOf(here), installerOf(here))).toEqual([]);
  expect(readFileSync(settingsFile, "utf8")).toBe("{}\n");
});

test("a lock file that cannot be read does not keep --fix from repairing the other scopes", async () => {
  const here = await installed();
  const user = here.call({ scope: "user", transport: "http", needs: [stop] });
  putClient(here, "user");
  await writeEntries(user);
  writeFileSync(here.call().places.lockFile, "{");
  writeFileSync(user.places.settingsFile, "{}");
  expect(await repairInstall(standpointOf(here), installerOf(here))).toMatchObject([
    {
      done: false,
      unreadable: true,
      message: expect.stringContaining(`${here.call().places.lockFile} cannot be used`),
    },
    { done: true, message: `Put the entries back into ${user.places.settingsFile}.` },
  ]);
});

test("--fix points entries at the installed package when theirs is missing", async () => {
  for (const shellForm of [false, true]) {
    const here = await installed({ scope: "local", shellForm });
    const { settingsFile, lockFile } = here.call({ scope: "local" }).places;
    const [before, after] = [join(here.folder, "node_modules"), join(here.folder, "moved")];
    const installer = { ...installerOf(here), packageRoot: after };
    expect(await repairInstall(standpointOf(here), installer)).toEqual([]);
    rmSync(before, { recursive: true });
    expect(await repairInstall(standpointOf(here), installer)).toMatchObject([
      { done: true, message: expect.stringContaining("They call what is there now in place of") },
    ]);
    const text = readFileSync(settingsFile, "utf8");
    expect([text.includes(before), text.includes(after), text.match(/--on-failure/g)?.length]).toEqual([
      false,
      true,
      4,
    ]);
    expect(readFileSync(lockFile, "utf8")).toContain(after);
    mkdirSync(join(after, "client"), { recursive: true });
    writeFileSync(join(after, "client", "hookline-client"), "");
    expect(await driftOf(here)).toEqual([]);
  }
});

test("--fix replaces a missing interpreter, and reports when there is no package to call", async () => {
  const here = world();
  const call = here.call({ scope: "local", transport: "run" });
  const bin = call.calls.flat().find((word) => word.includes("bin.")) ?? "";
  mkdirSync(dirname(bin), { recursive: true });
  writeFileSync(bin, "");
  const planned = JSON.parse(JSON.stringify(call.planned).replaceAll("/usr/bin/node", join(here.folder, "old-node")));
  await writeEntries({ ...call, planned });
  const installer = { ...installerOf(here), packageRoot: join(here.folder, "node_modules", "hookline") };
  expect(await repairInstall(standpointOf(here), installer)).toMatchObject([{ done: true }]);
  const { hooks } = JSON.parse(readFileSync(call.places.settingsFile, "utf8")) as {
    hooks: { Stop: { hooks: { command: string; args: string[] }[] }[] };
  };
  expect(hooks.Stop[0]?.hooks[0]).toMatchObject({
    command: process.execPath,
    args: [bin, "run", expect.stringContaining("hooks.mjs"), "--on-failure", "continue", "--event", "Stop"],
  });

  const project = await installed();
  rmSync(join(project.project, "node_modules"), { recursive: true });
  expect(await repairInstall(standpointOf(project), installerOf(project))).toEqual([
    { done: false, message: expect.stringContaining("npm install --save-dev ") },
  ]);
});

test("--fix makes the client that entries call executable, and no other file that a lock file names", async () => {
  const here = await installed();
  const client = putClient(here);
  chmodSync(client, 0o640);
  expect(await repairInstall(standpointOf(here), installerOf(here))).toEqual([
    { done: true, message: `${client} may be executed now.` },
  ]);
  expect(statSync(client).mode & 0o777).toBe(0o750);
  const { lockFile } = here.call().places;
  const lock = JSON.parse(readFileSync(lockFile, "utf8")) as object;
  writeFileSync(lockFile, JSON.stringify({ ...lock, command: [here.hooksFile, "x"] }));
  await repairInstall(standpointOf(here), installerOf(here));
  expect(statSync(here.hooksFile).mode & 0o111).toBe(0);
});

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { catalog } from "../../protocol/internal.ts";
import { appKey } from "../../sdk/internal.ts";
import { installReport } from "../drift/install-findings.ts";
import { statusOf } from "../drift/scope-status.ts";
import { writeEntries } from "../edit/install-entries.ts";
import { consent, endpoint, stop, type World, world } from "../fixtures/world.ts";
import { canDecide, hasHttpEntries } from "./http-entries.ts";

test("events whose answer changes something can decide, those that only take context cannot", () => {
  const not = Object.keys(catalog).filter((event) => !canDecide(event));
  for (const event of ["PreToolUse", "PermissionRequest", "UserPromptSubmit", "Stop", "PostToolUse", "Elicitation"])
    expect(not).not.toContain(event);
  expect(not).toContain("Notification");
  expect(canDecide("SomethingNew")).toBe(true);
});

const userCall = (here: World, options: Parameters<World["call"]>[0] = {}) =>
  here.call({ scope: "user", needs: [stop], ...options });

async function reported(here: World) {
  const target = { cwd: here.project, home: here.home, env: { PATH: process.env["PATH"] } };
  const installer = {
    packageRoot: here.folder,
    version: "1",
    node: process.execPath,
    home: here.source(),
    now: () => new Date(0),
  };
  const [user] = await statusOf(target, installer, ["user"], "nothing");
  const { findings } = await installReport(target, installer);
  return {
    drift: (user?.drift ?? []).filter(({ kind }) => kind === "http-entry").map(({ message }) => message),
    notes: user?.notes ?? [],
    findings: findings.filter(({ code }) => code === "http-entry").map(({ level }) => level),
  };
}

test("http entries without consent are reported by status and doctor, and the next install replaces them", async () => {
  const here = world();
  const { httpConsent: _none, ...old } = userCall(here, { transport: "http" });
  await writeEntries({ ...old, lock: { ...old.lock, transport: "auto" } });
  expect(await reported(here)).toEqual({
    drift: [
      "The entries for Stop use http: a process that takes port 4711 while the daemon is not running gets the token and the events, and decides. hookline install replaces them.",
    ],
    notes: [],
    findings: ["warning"],
  });
  const { places } = userCall(here);
  await writeEntries(userCall(here));
  const text = readFileSync(places.settingsFile, "utf8");
  expect([text.includes("Bearer"), text.includes("/v1/hook/"), text.includes("hookline-client")]).toEqual([
    false,
    false,
    true,
  ]);
  expect(await reported(here)).toEqual({ drift: [], notes: [], findings: [] });
});

test("http entries that were agreed to are a note; consent for decisions is not consent for a token in the file", async () => {
  const here = world();
  await writeEntries(userCall(here, { transport: "http" }));
  expect(await reported(here)).toEqual({
    drift: [],
    notes: [expect.stringContaining("You agreed to this at install.")],
    findings: ["note"],
  });
  const part = userCall(here, {
    transport: "http",
    endpoint: { ...endpoint, url: `http://127.0.0.1:4712/v1/hook/${appKey(here.hooksFile)}` },
  });
  await writeEntries({ ...part, httpConsent: { decisions: true } });
  expect((await reported(here)).findings).toEqual(["warning"]);
  await writeEntries({ ...part, httpConsent: consent });
  expect((await reported(here)).findings).toEqual(["note"]);
});

test("a pipe in the place of a settings file does not keep the search for http entries waiting", async () => {
  const here = world();
  const target = { cwd: here.project, home: here.home, env: {} };
  execFileSync("mkfifo", [join(here.project, ".claude/settings.json")]);
  expect(await hasHttpEntries(here.hooksFile, target)).toBe(false);
  const url = `http://127.0.0.1:1/v1/hook/${appKey(here.hooksFile)}`;
  writeFileSync(join(here.project, ".claude/settings.local.json"), JSON.stringify({ url }));
  expect(await hasHttpEntries(here.hooksFile, target)).toBe(true);
});

import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { world } from "../fixtures/world.ts";
import { writeEntries } from "./install-entries.ts";

const code = (error: unknown) => (error as { code?: string }).code;

test("install in project and local scope does not write through a link that leaves the project", async () => {
  for (const scope of ["project", "local"] as const) {
    const here = world();
    const call = here.call({ scope });
    const target = join(here.folder, "elsewhere.json");
    writeFileSync(target, "{}");
    symlinkSync(target, call.places.settingsFile);
    await expect(writeEntries(call)).rejects.toThrow(`is a link that leads out of the project, to ${target}`);
    expect([readFileSync(target, "utf8"), existsSync(call.places.lockFile)]).toEqual(["{}", false]);
  }
});

test("install does not create the target of a dangling link that leaves the project", async () => {
  const here = world();
  const call = here.call();
  symlinkSync("../../made.json", call.places.settingsFile);
  expect(await writeEntries(call).catch(code)).toBe("install/link-out");
  expect(await writeEntries({ ...call, dryRun: true }).catch(code)).toBe("install/link-out");
  expect(existsSync(join(here.folder, "made.json"))).toBe(false);
});

test("a .claude folder that is a link out of the project is refused too", async () => {
  const here = world();
  const outside = join(here.folder, "outside");
  mkdirSync(outside);
  rmSync(join(here.project, ".claude"), { recursive: true });
  symlinkSync(outside, join(here.project, ".claude"));
  expect(await writeEntries(here.call()).catch(code)).toBe("install/link-out");
  expect(existsSync(join(outside, "settings.json"))).toBe(false);
});

test("a link that stays in the project, and any link in the user's own folder, is followed", async () => {
  const here = world();
  const call = here.call();
  writeFileSync(join(here.project, "shared.json"), "{}");
  symlinkSync("../shared.json", call.places.settingsFile);
  await writeEntries(call);
  expect(readFileSync(join(here.project, "shared.json"), "utf8")).toContain("hooks");

  const user = here.call({ scope: "user" });
  mkdirSync(join(here.home, ".claude"));
  writeFileSync(join(here.folder, "dotfiles.json"), "{}");
  symlinkSync(join(here.folder, "dotfiles.json"), user.places.settingsFile);
  await writeEntries(user);
  expect(readFileSync(join(here.folder, "dotfiles.json"), "utf8")).toContain("hooks");
});

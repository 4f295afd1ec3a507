import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { daemonStatus } from "../../src/daemon/internal.ts";
import { scriptName } from "../../src/install/client/compiled-client.ts";
import { listening, removeFakeRecords, standInNode, wholeAnswer, writeFakeRecord } from "./fake-daemon.ts";
import { type ClientForm, clientForms, type DaemonWorld, event, guard, openDaemonWorld } from "./world.ts";

let world: DaemonWorld;
beforeAll(async () => {
  world = await openDaemonWorld();
});
afterAll(() => {
  removeFakeRecords();
  return world.remove();
});

const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
const stranger = 65_534;
const isRoot = process.getuid?.() === 0;

/** Puts the folder somewhere else, as a checkout could have it, and a link in its place. */
function moveAndLink(path: string): void {
  const away = `${path}-in-a-checkout`;
  renameSync(path, away);
  symlinkSync(away, path);
}

interface Doubt {
  readonly spoil: (state: string) => void;
  /** Only root can make it. */
  readonly root?: true;
}

const at = (state: string, ...below: readonly string[]) => join(state, ...below);
const doubts: Readonly<Record<string, Doubt>> = {
  "a state folder that others may write": { spoil: (state) => chmodSync(state, 0o777) },
  "a folder of it that others may write": { spoil: (state) => chmodSync(at(state, "daemon"), 0o770) },
  "a folder for paths that others may write": { spoil: (state) => chmodSync(at(state, "daemon/at"), 0o702) },
  "a link in the place of a folder of it": { spoil: (state) => moveAndLink(at(state, "daemon")) },
  "a link in the place of the folder for paths": { spoil: (state) => moveAndLink(at(state, "daemon/at")) },
  "a state folder of another user": { root: true, spoil: (state) => chownSync(state, stranger, stranger) },
  "a state folder that another user linked": {
    root: true,
    spoil(state) {
      moveAndLink(state);
      lchownSync(state, stranger, stranger);
    },
  },
};
const tried = Object.entries(doubts).filter(([, { root }]) => isRoot || !root);

/** A state folder with the record of a daemon that lets everything pass, and what becomes of a guard there. */
async function asked(form: ClientForm, name: string, spoil: (state: string) => void) {
  const file = world.file(`${form}-${name.replaceAll(" ", "-")}.mjs`, guard);
  const state = join(world.folder, `${form}-${name}`);
  let heard = 0;
  const { server, port } = await listening((peer) =>
    peer.once("data", () => {
      heard++;
      peer.end(wholeAnswer(version));
    }),
  );
  const node = standInNode(world, "cat <&4 >/dev/null; exit 2");
  const env = { HOOKLINE_HOME: state, PATH: `${dirname(node)}:${process.env["PATH"]}` };
  await writeFakeRecord({ ...world, env: { ...world.env, ...env } }, file, version, {
    port,
    node: "/nonexistent/node",
  });
  spoil(state);
  const { code } = await world.client([file, "--on-failure", "block"], event(), { form, env });
  server.close();
  return { code, heard, file, env };
}

describe.each(clientForms)("the %s client", (form) => {
  test("believes a record in a state folder of its own, and in one that its user linked", async () => {
    expect(await asked(form, "own", () => undefined)).toMatchObject({ code: 0, heard: 1 });
    expect(await asked(form, "linked", moveAndLink)).toMatchObject({ code: 0, heard: 1 });
  });

  test.each(tried)("believes no record in %s: nothing is sent, and the app is run", async (name, { spoil }) => {
    expect(await asked(form, name, spoil)).toMatchObject({ code: 2, heard: 0 });
  });
});

test.skipIf(!isRoot)("status, stop and the engine believe no record behind a link that another user made", async () => {
  const { file, env } = await asked("script", "for status", (state) => {
    moveAndLink(state);
    lchownSync(state, stranger, stranger);
  });
  await expect(daemonStatus(file, { env })).rejects.toMatchObject({ code: "file/unsafe" });
});

const handed: Readonly<Record<string, Doubt>> = {
  "a state folder behind a link": { spoil: moveAndLink },
  "a state folder in a repository": { spoil: (state) => mkdirSync(at(state, ".git")) },
  "a link in the place of its folder": { spoil: (state) => moveAndLink(at(state, "client")) },
  "a link in the place of the folder for paths": { spoil: (state) => moveAndLink(at(state, "client/at")) },
  "a state folder of another user": { root: true, spoil: (state) => chownSync(state, stranger, stranger) },
  "a state folder that another user linked": {
    root: true,
    spoil(state) {
      moveAndLink(state);
      lchownSync(state, stranger, stranger);
    },
  },
};

test("the script hands over to a program in a state folder of its own, and to none behind a link or what another user may have made", async () => {
  const file = world.file("handed.mjs", guard);
  const ran = async (name: string, spoil: (state: string) => void) => {
    const state = join(world.folder, `handed ${name}`);
    const marker = `${state}-ran`;
    mkdirSync(at(state, "client/at"), { recursive: true, mode: 0o700 });
    const program = at(state, "client/at", scriptName(join(world.folder, "package")));
    writeFileSync(program, `#!/bin/sh\ntouch '${marker}'\n`, { mode: 0o755 });
    spoil(state);
    const node = standInNode(world, "exit 2");
    const env = { HOOKLINE_HOME: state, HOOKLINE_CLIENT: "", PATH: `${dirname(node)}:${process.env["PATH"]}` };
    const { code } = await world.client([file, "--on-failure", "block"], event(), { env });
    return [name, code, existsSync(marker)];
  };
  expect(await ran("to its own", () => undefined)).toEqual(["to its own", 0, true]);
  for (const [name, { spoil, root }] of Object.entries(handed))
    if (isRoot || !root) expect(await ran(name, spoil)).toEqual([name, 2, false]);
});

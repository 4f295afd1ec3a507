import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chown, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** What bash did with a line: the programs it looked for, and the files it left behind. */
export interface Deeds {
  readonly ran: readonly string[];
  /** The same with all their words as bash expanded them, and the folder it was in. */
  readonly calls: readonly { readonly folder: string; readonly words: readonly string[] }[];
  /** Absolute paths. */
  readonly made: readonly string[];
  /** The folder it started in, which holds the folders `d1` and `d2/d3`, a link `l` to the latter, and the files of `given`. */
  readonly cwd: string;
}

/** Whether there is a bash here that can be asked: older ones than 5 read some lines differently and tell less. */
export function hasBash(): boolean {
  const { stdout } = spawnSync(bash, ["--version"], { encoding: "utf8" });
  const major = Number(/version (\d+)/.exec(stdout ?? "")?.[1] ?? 0);
  if (major < 5)
    console.info(
      "The shell analysis is held to bash 5 or newer, and there is none here: install bash to run these tests.",
    );
  return major >= 5;
}

export interface Oracle {
  run(line: string): Promise<Deeds>;
  close(): Promise<void>;
}

/** Files that are there from the beginning. */
const given = [".env", "README", "a.t"];

const deadlineMs = 3_000;
const graceMs = 300;
/** A place is used again only after so many others: what outlives its line must not be taken for a deed of the next one. */
const mostResting = 64;

/** A line that leaves its folder must find nothing it may write: run by root, lines are run by nobody. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;

/** Found by the tests' own PATH, as the lines' has nothing on it. */
const bash =
  (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((folder) => join(folder, "bash"))
    .find((path) => existsSync(path)) ?? "/bin/bash";

/** Real bash, each line in an empty folder and a process group of its own, with a PATH on which there is nothing. */
export async function openOracle(): Promise<Oracle> {
  const home = await realpath(await mkdtemp(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "hookline-fuzz-")));
  await mkdir(join(home, "nothing"));
  let count = 0;
  const free: string[] = [];
  return {
    async run(line) {
      const rested = free.length >= mostResting ? free.shift() : undefined;
      const place = rested ?? (await newPlace(home, count++));
      await tidy(place);
      await runBash(line, place, home);
      const calls = await callsIn(place);
      const ran = calls.flatMap(({ words: [head = ""] }) => (head === "" ? [] : [head]));
      const deeds = { ran, calls, made: await madeIn(place), cwd: workIn(place) };
      await tidy(place);
      free.push(place);
      return deeds;
    },
    close: () => rm(home, { recursive: true, force: true }),
  };
}

/** Takes away what a line has left, or a process of it that had a group of its own and outlived it. */
async function tidy(place: string): Promise<void> {
  for (const path of [join(place, "log"), ...(await madeIn(place))]) await rm(path, { force: true });
}

async function newPlace(home: string, index: number): Promise<string> {
  const place = join(home, `p${index}`);
  await mkdir(join(workIn(place), "d1"), { recursive: true });
  await mkdir(join(workIn(place), "d2", "d3"), { recursive: true });
  await symlink("d2/d3", join(workIn(place), "l"));
  await symlink("../.env", join(workIn(place), "d1", "k"));
  for (const file of given) await writeFile(join(workIn(place), file), "x\n");
  await writeFile(
    join(place, "env"),
    [
      "ulimit -t 2 -f 64",
      "FUNCNEST=20",
      `PATH='${join(home, "nothing")}'`,
      // One line of text for each call, as several processes may write at once.
      `command_not_found_handle() { builtin printf '%s\\0' "$(builtin printf '%s\\037' "$PWD" "$@"; builtin printf '\\036')" >> '${join(place, "log")}'; }`,
      // A shell inside finds it by BASH_ENV, or in its environment where it does not read that.
      "export -f command_not_found_handle",
      "",
    ].join("\n"),
  );
  if (nobody)
    for (const path of [home, place, ...(await everythingIn(place))]) await chown(path, nobody.uid, nobody.gid);
  return place;
}

async function everythingIn(place: string): Promise<string[]> {
  const entries = await readdir(place, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => !entry.isSymbolicLink()).map((entry) => join(entry.parentPath, entry.name));
}

/** Deep enough that no line climbs out of the place. */
function workIn(place: string): string {
  return join(place, ..."abcdefghij", "w");
}

function runBash(line: string, place: string, home: string): Promise<void> {
  return new Promise((done, fail) => {
    // A NUL cannot be handed over as an argument; the analysis refuses such lines anyway.
    const child = spawn(bash, ["--norc", "--noprofile", "-c", line.replaceAll("\0", "")], {
      cwd: workIn(place),
      env: { PATH: join(home, "nothing"), BASH_ENV: join(place, "env"), HOME: workIn(place), LC_ALL: "C.UTF-8" },
      stdio: "ignore",
      detached: true,
      ...nobody,
      argv0: "bash",
    });
    const group = child.pid;
    const end = () => {
      if (group !== undefined) killGroup(group);
    };
    const timer = setTimeout(end, deadlineMs);
    child.on("error", fail);
    child.on("exit", async () => {
      // What runs in the background or in `<(…)` may outlive the shell: it gets a moment to be seen.
      for (let waited = 0; group !== undefined && isAlive(group) && waited < graceMs; waited += 5) await sleep(5);
      clearTimeout(timer);
      end();
      done();
    });
  });
}

function isAlive(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch {
    // ESRCH: the group has ended.
    return false;
  }
}

function killGroup(group: number): void {
  try {
    process.kill(-group, "SIGKILL");
  } catch (cause) {
    // An empty group is the usual case.
    if ((cause as NodeJS.ErrnoException).code !== "ESRCH") throw cause;
  }
}

async function callsIn(place: string): Promise<Deeds["calls"]> {
  const log = join(place, "log");
  if (!existsSync(log)) return [];
  // A record that does not end as it should was cut off by a limit.
  const records = (await readFile(log, "utf8")).split("\0").filter((record) => record.endsWith("\u001e"));
  return records.map((record) => {
    const [folder = "", ...words] = record.slice(0, -2).split("\u001f");
    return { folder, words };
  });
}

/** Every new file below the place; the line can have left its folder, but not this one. */
async function madeIn(place: string): Promise<string[]> {
  const entries = await readdir(place, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const known = new Set([join(place, "env"), join(place, "log"), ...given.map((file) => join(workIn(place), file))]);
  return files.filter((path) => !known.has(path)).sort();
}

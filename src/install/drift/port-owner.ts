import { readdir, readFile, readlink } from "node:fs/promises";
import { connect } from "node:net";

/** Who listens on a port of this machine's own address, in words; undefined: nobody. */
export async function listenerOn(port: number): Promise<string | undefined> {
  if (!(await answers(port))) return undefined;
  const pid = process.platform === "linux" ? await ownerOf(port) : undefined;
  if (pid === undefined) return "a process that does not say who it is";
  const name = await textOf(`/proc/${pid}/comm`);
  return `process ${pid}${name === undefined ? "" : ` (${name.trim()})`}`;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    const done = (is: boolean) => {
      socket.destroy();
      resolve(is);
    };
    socket.setTimeout(1_000, () => done(true));
    socket.once("connect", () => done(true));
    socket.once("error", () => done(false));
  });
}

/** The kernel lists sockets by number, and a process shows its sockets as links. */
async function ownerOf(port: number): Promise<string | undefined> {
  const tables = await Promise.all(["/proc/net/tcp", "/proc/net/tcp6"].map(textOf));
  const inodes = new Set(
    tables.flatMap((table) => (table ?? "").split("\n").flatMap((line) => listeningInode(line, port))),
  );
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    for (const fd of await namesIn(`/proc/${pid}/fd`)) {
      const [, inode = ""] = /^socket:\[(\d+)\]$/.exec((await linkOf(`/proc/${pid}/fd/${fd}`)) ?? "") ?? [];
      if (inodes.has(inode)) return pid;
    }
  }
  return undefined;
}

function listeningInode(line: string, port: number): readonly string[] {
  const [, local = "", , state, , , , , , inode = ""] = line.trim().split(/\s+/);
  const isOurs = state === "0A" && Number.parseInt(local.split(":")[1] ?? "", 16) === port;
  return isOurs && inode !== "" ? [inode] : [];
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch {
    return undefined; // gone, or not ours to read
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch {
    return []; // gone, or another user's
  }
}

async function linkOf(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch {
    return undefined; // closed meanwhile
  }
}

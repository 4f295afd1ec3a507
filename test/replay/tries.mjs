/** Hooks that try everything that reaches out of the process, and tell which of it worked. Where to try is in the prompt's folder. */
import childProcess from "node:child_process";
import cluster from "node:cluster";
import dgram from "node:dgram";
import dns from "node:dns";
import fs, { writeFileSync as named } from "node:fs";
import { writeFile as promised } from "node:fs/promises";
import http from "node:http";
import http2 from "node:http2";
import inspector from "node:inspector";
import module from "node:module";
import net from "node:net";
import os from "node:os";
import { join } from "node:path";
import tls from "node:tls";
import traceEvents from "node:trace_events";
import v8 from "node:v8";
import { WASI } from "node:wasi";
import { Worker } from "node:worker_threads";
import { context, createApp } from "hookline/sdk";

const app = createApp();
app.onPrompt({ name: "tries", timeoutMs: 60_000 }, async (_event, { env }) => {
  const folder = env.TRY_IN;
  const port = Number(env.TRY_PORT);
  const victim = join(folder, "victim");
  const at = (name) => join(folder, name);
  const back = (call) => new Promise((done, fail) => call((error, value) => (error ? fail(error) : done(value))));
  const heard = (emitter, good) =>
    new Promise((done, fail) => emitter.once("error", fail).once(good, done).once("exit", done));
  const readOnly = fs.openSync(victim, "r");
  const throughHandle = async (change) => {
    const handle = await fs.promises.open(victim);
    try {
      await change(handle);
    } finally {
      await handle.close();
    }
  };
  const tries = {
    writeFileSync: () => fs.writeFileSync(at("a"), "x"),
    "writeFileSync by name": () => named(at("b"), "x"),
    writeFile: () => back((end) => fs.writeFile(at("c"), "x", end)),
    "promises.writeFile": () => promised(at("d"), "x"),
    appendFileSync: () => fs.appendFileSync(victim, "x"),
    createWriteStream: () => heard(fs.createWriteStream(at("e")), "open"),
    "open for writing": () => fs.openSync(victim, "r+"),
    "open and truncate": () => fs.openSync(victim, fs.constants.O_RDONLY | fs.constants.O_TRUNC),
    truncateSync: () => fs.truncateSync(victim),
    ftruncateSync: () => fs.ftruncateSync(readOnly),
    mkdirSync: () => fs.mkdirSync(at("f")),
    "promises.mkdir": () => fs.promises.mkdir(at("g/h"), { recursive: true }),
    mkdtempSync: () => fs.mkdtempSync(at("i")),
    renameSync: () => fs.renameSync(victim, at("j")),
    unlinkSync: () => fs.unlinkSync(victim),
    rmSync: () => fs.rmSync(folder, { recursive: true }),
    "promises.rm": () => fs.promises.rm(victim),
    copyFileSync: () => fs.copyFileSync(victim, at("k")),
    cpSync: () => fs.cpSync(victim, at("l")),
    symlinkSync: () => fs.symlinkSync(folder, join(os.tmpdir(), "out")),
    "write through a link": () => fs.writeFileSync(join(os.tmpdir(), "out", "m"), "x"),
    linkSync: () => fs.linkSync(victim, join(os.tmpdir(), "hard")),
    chmodSync: () => fs.chmodSync(victim, 0o777),
    chownSync: () => fs.chownSync(victim, process.getuid(), process.getgid()),
    lchownSync: () => fs.lchownSync(victim, process.getuid(), process.getgid()),
    utimesSync: () => fs.utimesSync(victim, 1, 1),
    lutimesSync: () => fs.lutimesSync(victim, 1, 1),
    fchmodSync: () => fs.fchmodSync(readOnly, 0o777),
    fchownSync: () => fs.fchownSync(readOnly, process.getuid(), process.getgid()),
    futimesSync: () => fs.futimesSync(readOnly, 1, 1),
    "handle.chmod": () => throughHandle((handle) => handle.chmod(0o777)),
    "handle.chown": () => throughHandle((handle) => handle.chown(process.getuid(), process.getgid())),
    "handle.utimes": () => throughHandle((handle) => handle.utimes(1, 1)),
    "a path out of scratch": () => fs.writeFileSync(`${os.tmpdir()}/../../../../../../..${at("n")}`, "x"),
    "a path as bytes": () => fs.writeFileSync(Buffer.from(at("o")), "x"),
    "a path as URL": () => fs.writeFileSync(new URL(`file://${at("p")}`), "x"),
    "a relative path": () => {
      process.chdir(folder);
      fs.writeFileSync("q", "x");
    },
    spawn: () => heard(childProcess.spawn("touch", [at("r")]), "exit"),
    exec: () => back((end) => childProcess.exec(`touch ${at("s")}`, end)),
    execFile: () => back((end) => childProcess.execFile("touch", [at("t")], end)),
    fork: () => heard(childProcess.fork(victim), "exit"),
    spawnSync: () => {
      const { error } = childProcess.spawnSync("touch", [at("u")]);
      if (error) throw error;
    },
    execSync: () => childProcess.execSync(`touch ${at("v")}`),
    execFileSync: () => childProcess.execFileSync("touch", [at("w")]),
    "cluster.fork": () => heard(cluster.fork(), "exit"),
    Worker: () => heard(new Worker("1", { eval: true }), "online"),
    "module.register": () => module.register(new URL(`file://${victim}`)),
    "process.binding": () => process.binding("spawn_sync"),
    "process.dlopen": () => process.dlopen({ exports: {} }, victim),
    "process.kill": () => process.kill(process.ppid, "SIGCONT"),
    "process._kill": () => process._kill(process.ppid, os.constants.signals.SIGCONT),
    "flags of V8": () => {
      const flags = ["--redirect-code-traces", `--redirect-code-traces-to=${victim}`, "--trace-opt"];
      for (const flag of flags) v8.setFlagsFromString(flag);
      const hot = (a) => Array.from({ length: 100 }, (_, i) => a * i).reduce((one, other) => one + other);
      for (let i = 0; i < 50_000; i++) hot(i);
    },
    setPriority: () => os.setPriority(process.ppid, 1),
    "inspector.open": () => inspector.open(0),
    "inspector session": () => new inspector.Session().connect(),
    WASI: () => new WASI({ version: "preview1", preopens: { "/": folder } }),
    writeHeapSnapshot: () => v8.writeHeapSnapshot(at("x")),
    setHeapSnapshotNearHeapLimit: () => v8.setHeapSnapshotNearHeapLimit(1),
    "process.report": () => process.report.writeReport(at("y")),
    "trace events": () => traceEvents.createTracing({ categories: ["v8"] }).enable(),
    "net.connect": () => heard(net.connect(port, "127.0.0.1"), "connect"),
    "socket.connect": () => heard(new net.Socket().connect({ port, host: "127.0.0.1" }), "connect"),
    "unix socket": () => heard(net.connect(env.TRY_SOCKET), "connect"),
    "server.listen": () => heard(net.createServer().listen(0), "listening"),
    "server._listen2": () => {
      const server = net.createServer();
      const listens = heard(server, "listening");
      server._listen2("127.0.0.1", 0, 4);
      return listens;
    },
    "server handle": () => net._createServerHandle("127.0.0.1", 0, 4),
    "http.get": () => heard(http.get(`http://127.0.0.1:${port}/`), "response"),
    "http server": () => heard(http.createServer().listen(0), "listening"),
    "http2.connect": () => heard(http2.connect(`http://127.0.0.1:${port}`), "connect"),
    "tls.connect": () => heard(tls.connect({ port, host: "127.0.0.1" }), "secureConnect"),
    fetch: () => fetch(`http://127.0.0.1:${port}/`),
    "udp send": () => back((end) => dgram.createSocket("udp4").send("x", port, "127.0.0.1", end)),
    "udp bind": () => heard(dgram.createSocket("udp4").bind(0), "listening"),
    "udp group": () => dgram.createSocket("udp4").addMembership("224.0.0.114"),
    "dns.lookup": () => back((end) => dns.lookup("localhost", end)),
    "dns.resolve4": () => back((end) => dns.resolve4("localhost", end)),
    "dns.promises.lookup": () => dns.promises.lookup("localhost"),
    "dns.Resolver": () => back((end) => new dns.Resolver().resolve4("localhost", end)),
    WebSocket: () => heard(new WebSocket(`ws://127.0.0.1:${port}`), "open"),
    sqlite: () => new (process.getBuiltinModule("node:sqlite").DatabaseSync)(at("z")),
    "sqlite in memory, attached": () => {
      const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
      new DatabaseSync(":memory:").exec(`ATTACH '${at("attached")}' AS a; CREATE TABLE a.t (x)`);
    },
    "sqlite in memory, copied": () => {
      const { DatabaseSync, backup } = process.getBuiltinModule("node:sqlite");
      return backup(new DatabaseSync(":memory:", { readOnly: true }), at("copied"));
    },
    // It tells of no failure: its trace would be seen.
    "compile cache": () => {
      module.enableCompileCache?.(at("cache"));
      throw new Error("unknown");
    },
    "process.exit": () => process.exit(0),
  };
  const worked = [];
  for (const [name, attempt] of Object.entries(tries)) {
    try {
      await attempt();
      worked.push(name);
    } catch {
      // Refused, as it should be.
    }
  }
  fs.writeFileSync(join(os.tmpdir(), "scratch is mine"), "x");
  return context(JSON.stringify({ tried: Object.keys(tries).length, worked }));
});
export default app;

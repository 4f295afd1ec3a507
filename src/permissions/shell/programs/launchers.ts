import type { Wrapper } from "./wrappers.ts";

/** Programs, separated by commas and each with its verbs, that have the same options. */
type LauncherRow = readonly [programs: string, wrapper: Wrapper];

/** Programs that start another one with the same files: tracers, namespaces, schedulers, terminals. */
const around: readonly LauncherRow[] = [
  ["setpriv, prlimit, numactl, valgrind, dbus-run-session, eatmydata, torsocks, torify, catchsegv", {}],
  ["perf stat, perf record, git bisect run", {}],
  ["ip netns exec, direnv exec", { operands: 1 }],
  ["strace", { flags: "cCdfFhikqrtTvVwxyzZDn", valued: "abeEIoOpPsSuUX", longValued: ["--trace", "--output"] }],
  ["ltrace", { flags: "cCfhiLrStTV", valued: "aAbDeFlnopsuwx" }],
  ["unshare", { flags: "imnpuUCTfrc", valued: "RwSG", startsShell: true }],
  ["nsenter", { flags: "aFZ", valued: "tSGrw", startsShell: true }],
  ["systemd-run", { flags: "tGPqdrS", valued: "pMHuE", long: ["--user", "--scope", "--pty", "--wait", "--pipe"] }],
  ["run0", { longValued: ["--user", "--group"], startsShell: true }],
  ["pkexec", { longValued: ["--user"] }],
  ["chronic", { flags: "ev" }],
  ["unbuffer", { flags: "p" }],
  ["caffeinate", { flags: "dimsu", valued: "tw" }],
  ["script", { flags: "aefqr", valued: "EIOBTmot", operands: 1, scripts: ["c", "--command"] }],
  ["runuser", { flags: "flpmPTh", valued: "ugGsw", startsShell: true, scripts: ["c", "--command"] }],
  ["sg", { operands: 1, scripts: ["c"], startsShell: true, joins: true }],
  ["taskset", { flags: "ap", operands: 1 }],
  ["chrt", { flags: "abdfior", operands: 1 }],
  ["setarch", { operands: 1, operandsMayLack: true }],
  ["fakeroot", { valued: "lfsib", startsShell: true }],
  ["xvfb-run", { flags: "ahl", valued: "efnps" }],
  ["firejail, bwrap", { startsShell: true }],
  ["proot", { valued: "rbw", startsShell: true }],
  ["faketime", { flags: "m", valued: "f", operands: 1 }],
  ["proxychains, proxychains4", { flags: "q", valued: "f" }],
  ["sshpass", { flags: "evh", valued: "fdpP" }],
  ["start-stop-daemon", { flags: "bmqvtoS", valued: "puncgdNs", scripts: ["x", "--exec"] }],
  ["entr", { flags: "acdnprxz", scripts: ["s"] }],
  ["watchexec", { joins: true }],
];

const container: Wrapper = {
  flags: "ditPTq",
  valued: "aceghlmpuvw",
  longValued: ["--name", "--env", "--volume", "--user", "--workdir", "--network", "--mount", "--env-file"],
  scripts: ["--entrypoint"],
  long: ["--rm", "--interactive", "--tty", "--detach", "--privileged", "--init", "--read-only"],
  operands: 1,
  elsewhere: true,
};

/** Programs that fetch or find the program that they start. A rule that allows them allows what they start. */
const carriers: readonly LauncherRow[] = [
  ["pnpm dlx, yarn exec, bunx, bun x, uvx, uv run, poetry run, pipenv run, pipx run, hatch run, pdm run, rye run", {}],
  ["bundle exec, rbenv exec, pyenv exec, mise exec, mise x, asdf exec, dotenv, devbox run, op run, dbus-launch", {}],
  ["softlimit, tsocks, bear, heaptrack, rr record, perf trace, linux32, linux64, i386, x86_64, uname26", {}],
  // The loader starts the program that it is given.
  ["ld.so, ld-linux.so.2, ld-linux-x86-64.so.2, ld-linux-aarch64.so.1, ld-musl-x86_64.so.1, ld-musl-aarch64.so.1", {}],
  ["aws-vault exec, chamber exec, gosu, su-exec, setuidgid, s6-setuidgid, envdir, ip vrf exec", { operands: 1 }],
  ["bun exec, xterm, gnome-terminal", { joins: true }],
  ["npx", { flags: "yq", valued: "pw", longValued: ["--package"], scripts: ["c", "--call"] }],
  ["npm exec, npm x", { flags: "y", valued: "pw", longValued: ["--package"], scripts: ["c", "--call"] }],
  ["pnpm exec", { flags: "rc" }],
  ["yarn dlx", { valued: "p" }],
  ["conda run, mamba run, micromamba run", { valued: "np" }],
  ["cross-env", { assigns: true }],
  ["cross-env-shell", { assigns: true, joins: true }],
  ["env-cmd", { valued: "fre" }],
  ["nix develop, nix shell", { behind: ["-c", "--command"] }],
  ["nix-shell", { scripts: ["--run", "--command"] }],
  ["doppler run", { scripts: ["--command"] }],
  ["sops exec-env", { operands: 1, joins: true }],
  ["cargo watch", { scripts: ["s", "--shell"] }],
  ["gdb", { behind: ["--args", "-args"] }],
  ["ssh-agent", { flags: "cDdksT", valued: "aEOPt" }],
  ["chpst", { flags: "vVP012", valued: "uUbeLlmdofpcrtn/" }],
  ["tini", { flags: "sgvw", valued: "pe" }],
  ["dumb-init", { flags: "cv", valued: "r" }],
  ["daemonize", { flags: "av", valued: "cepluoEL" }],
  ["cpulimit", { flags: "vzikq", valued: "lpePc" }],
  ["runcon", { valued: "turl", operands: 1, operandsMayLack: true }],
  ["cgexec", { valued: "g" }],
  ["nocache", { valued: "n" }],
  ["scan-build", { valued: "o" }],
  ["dtach", { flags: "nNcAazE", valued: "er", operands: 1 }],
  ["abduco", { flags: "nNcAafr", valued: "e", operands: 1 }],
  ["screen", { flags: "dDmALqOUax", valued: "ShcteTpsrR" }],
  [
    "tmux new, tmux new-session, tmux neww, tmux new-window, tmux splitw, tmux split-window, tmux run, tmux run-shell, " +
      "tmux respawn-pane",
    { flags: "AbdDEhIPSvXZ", valued: "ceFlnstxy", joins: true },
  ],
  ...["docker", "podman", "nerdctl"].map((name): LauncherRow => {
    const verbs = ["run", "exec", "container run", "container exec", "compose run", "compose exec"];
    return [verbs.map((verb) => `${name} ${verb}`).join(", "), container];
  }),
  ["docker-compose run, docker-compose exec", container],
  [
    "kubectl exec",
    { flags: "itq", valued: "cnf", longValued: ["--container", "--namespace"], operands: 1, elsewhere: true },
  ],
  ["kubectl run", { valued: "nl", longValued: ["--image"], operands: 1, elsewhere: true }],
  ["kubectl debug", { valued: "cnf", longValued: ["--image", "--target"], operands: 1, elsewhere: true }],
  ["oc rsh", { valued: "cn", operands: 1, elsewhere: true }],
  ["oc exec", { flags: "itq", valued: "cnf", operands: 1, elsewhere: true }],
  ["lxc exec, multipass exec, limactl shell, machinectl shell", { operands: 1, elsewhere: true }],
  ["lxc-attach", { valued: "n", elsewhere: true }],
];

interface LauncherTable {
  /** Wrappers whose options are only partly known, by program or by program and verbs. */
  readonly launchers: ReadonlyMap<string, Wrapper>;
  /** What the name of a launcher may begin with: `docker`, `docker compose`. */
  readonly prefixes: ReadonlySet<string>;
}

let table: LauncherTable | undefined;

/** Built on the first call, so that loading the module is cheap. */
export function launcherTable(): LauncherTable {
  table ??= buildTable();
  return table;
}

function buildTable(): LauncherTable {
  const rows = [...around, ...carriers.map(([names, wrapper]) => [names, { ...wrapper, carries: true }] as const)];
  const launchers = new Map(
    rows.flatMap(([names, wrapper]) => names.split(", ").map((name) => [name, wrapper] as const)),
  );
  const prefixes = [...launchers.keys()].flatMap((name) => {
    const [head = "", ...verbs] = name.split(" ");
    return verbs.length > 1 ? [head, `${head} ${verbs[0]}`] : [head];
  });
  return { launchers, prefixes: new Set(prefixes) };
}

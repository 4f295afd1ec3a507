import type { Wrapper } from "./wrappers.ts";

/** Programs that start another one with the same files: tracers, namespaces, schedulers, terminals. */
const around: readonly (readonly [string, Wrapper])[] = [
  ["strace", { flags: "cCdfFhikqrtTvVwxyzZDn", valued: "abeEIoOpPsSuUX", longValued: ["--trace", "--output"] }],
  ["ltrace", { flags: "cCfhiLrStTV", valued: "aAbDeFlnopsuwx" }],
  ["unshare", { flags: "imnpuUCTfrc", valued: "RwSG", startsShell: true }],
  ["nsenter", { flags: "aFZ", valued: "tSGrw", startsShell: true }],
  ["systemd-run", { flags: "tGPqdrS", valued: "pMHuE", long: ["--user", "--scope", "--pty", "--wait", "--pipe"] }],
  ["run0", { longValued: ["--user", "--group"], startsShell: true }],
  ["pkexec", { longValued: ["--user"] }],
  ["ip netns exec", { operands: 1 }],
  ["chronic", { flags: "ev" }],
  ["unbuffer", { flags: "p" }],
  ["caffeinate", { flags: "dimsu", valued: "tw" }],
  ["script", { flags: "aefqr", valued: "EIOBTmot", operands: 1, scripts: ["c", "--command"] }],
  ["runuser", { flags: "flpmPTh", valued: "ugGsw", startsShell: true, scripts: ["c", "--command"] }],
  ["sg", { operands: 1, scripts: ["c"], startsShell: true, joins: true }],
  ["setpriv", {}],
  ["prlimit", {}],
  ["taskset", { flags: "ap", operands: 1 }],
  ["chrt", { flags: "abdfior", operands: 1 }],
  ["numactl", {}],
  ["setarch", { operands: 1, operandsMayLack: true }],
  ["valgrind", {}],
  ["fakeroot", { valued: "lfsib", startsShell: true }],
  ["xvfb-run", { flags: "ahl", valued: "efnps" }],
  ["dbus-run-session", {}],
  ["firejail", { startsShell: true }],
  ["bwrap", { startsShell: true }],
  ["proot", { valued: "rbw", startsShell: true }],
  ["eatmydata", {}],
  ["faketime", { flags: "m", valued: "f", operands: 1 }],
  ["torsocks", {}],
  ["torify", {}],
  ["proxychains", { flags: "q", valued: "f" }],
  ["proxychains4", { flags: "q", valued: "f" }],
  ["sshpass", { flags: "evh", valued: "fdpP" }],
  ["start-stop-daemon", { flags: "bmqvtoS", valued: "puncgdNs", scripts: ["x", "--exec"] }],
  ["catchsegv", {}],
  ["perf stat", {}],
  ["perf record", {}],
  ["entr", { flags: "acdnprxz", scripts: ["s"] }],
  ["watchexec", { joins: true }],
  ["direnv exec", { operands: 1 }],
  ["git bisect run", {}],
];

/** Programs that fetch or find the program they start; who allows them allows what they start. */
const runners: readonly (readonly [string, Wrapper])[] = [
  ["npx", { flags: "yq", valued: "pw", longValued: ["--package"], scripts: ["c", "--call"] }],
  ["npm exec", { flags: "y", valued: "pw", longValued: ["--package"], scripts: ["c", "--call"] }],
  ["npm x", { flags: "y", valued: "pw", longValued: ["--package"], scripts: ["c", "--call"] }],
  ["pnpm exec", { flags: "rc" }],
  ["pnpm dlx", {}],
  ["yarn exec", {}],
  ["yarn dlx", { valued: "p" }],
  ["bunx", {}],
  ["bun x", {}],
  ["uvx", {}],
  ["uv run", {}],
  ["poetry run", {}],
  ["pipenv run", {}],
  ["pipx run", {}],
  ["bundle exec", {}],
  ["rbenv exec", {}],
  ["conda run", { valued: "np" }],
  ["mamba run", { valued: "np" }],
  ["micromamba run", { valued: "np" }],
  ["pyenv exec", {}],
  ["bun exec", { joins: true }],
  ["mise exec", {}],
  ["mise x", {}],
  ["asdf exec", {}],
  ["dotenv", {}],
  ["cross-env", { assigns: true }],
  ["cross-env-shell", { assigns: true, joins: true }],
  ["env-cmd", { valued: "fre" }],
  ["hatch run", {}],
  ["pdm run", {}],
  ["rye run", {}],
  ["devbox run", {}],
  ["nix develop", { behind: ["-c", "--command"] }],
  ["nix shell", { behind: ["-c", "--command"] }],
  ["nix-shell", { scripts: ["--run", "--command"] }],
  ["doppler run", { scripts: ["--command"] }],
  ["op run", {}],
  ["aws-vault exec", { operands: 1 }],
  ["chamber exec", { operands: 1 }],
  ["sops exec-env", { operands: 1, joins: true }],
  ["cargo watch", { scripts: ["s", "--shell"] }],
  ["gdb", { behind: ["--args", "-args"] }],
  ["ssh-agent", { flags: "cDdksT", valued: "aEOPt" }],
  ["dbus-launch", {}],
  ["gosu", { operands: 1 }],
  ["su-exec", { operands: 1 }],
  ["setuidgid", { operands: 1 }],
  ["s6-setuidgid", { operands: 1 }],
  ["envdir", { operands: 1 }],
  ["chpst", { flags: "vVP012", valued: "uUbeLlmdofpcrtn/" }],
  ["softlimit", {}],
  ["tini", { flags: "sgvw", valued: "pe" }],
  ["dumb-init", { flags: "cv", valued: "r" }],
  ["daemonize", { flags: "av", valued: "cepluoEL" }],
  ["cpulimit", { flags: "vzikq", valued: "lpePc" }],
  ["runcon", { valued: "turl", operands: 1, operandsMayLack: true }],
  ["cgexec", { valued: "g" }],
  ["ip vrf exec", { operands: 1 }],
  ["tsocks", {}],
  ["nocache", { valued: "n" }],
  ["bear", {}],
  ["scan-build", { valued: "o" }],
  ["heaptrack", {}],
  ["rr record", {}],
  ["perf trace", {}],
  ["dtach", { flags: "nNcAazE", valued: "er", operands: 1 }],
  ["abduco", { flags: "nNcAafr", valued: "e", operands: 1 }],
  ["screen", { flags: "dDmALqOUax", valued: "ShcteTpsrR" }],
  ["xterm", { joins: true }],
  ["gnome-terminal", { joins: true }],
  ...["new", "new-session", "neww", "new-window", "splitw", "split-window", "run", "run-shell", "respawn-pane"].map(
    (verb) => [`tmux ${verb}`, { flags: "AbdDEhIPSvXZ", valued: "ceFlnstxy", joins: true }] as const,
  ),
  ...["linux32", "linux64", "i386", "x86_64", "uname26"].map((name) => [name, {}] as const),
  // The loader starts the program that it is given.
  ...[
    "ld.so",
    "ld-linux.so.2",
    "ld-linux-x86-64.so.2",
    "ld-linux-aarch64.so.1",
    "ld-musl-x86_64.so.1",
    "ld-musl-aarch64.so.1",
  ].map((name) => [name, {}] as const),
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

const pods: readonly (readonly [string, Wrapper])[] = [
  ["docker-compose run", container],
  ["docker-compose exec", container],
  [
    "kubectl exec",
    { flags: "itq", valued: "cnf", longValued: ["--container", "--namespace"], operands: 1, elsewhere: true },
  ],
  ["kubectl run", { valued: "nl", longValued: ["--image"], operands: 1, elsewhere: true }],
  ["kubectl debug", { valued: "cnf", longValued: ["--image", "--target"], operands: 1, elsewhere: true }],
  ["oc rsh", { valued: "cn", operands: 1, elsewhere: true }],
  ["lxc exec", { operands: 1, elsewhere: true }],
  ["lxc-attach", { valued: "n", elsewhere: true }],
  ["multipass exec", { operands: 1, elsewhere: true }],
  ["limactl shell", { operands: 1, elsewhere: true }],
  ["machinectl shell", { operands: 1, elsewhere: true }],
  ["oc exec", { flags: "itq", valued: "cnf", operands: 1, elsewhere: true }],
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
  const carriers = [...runners, ...containers(), ...pods];
  const launchers = new Map([
    ...around,
    ...carriers.map(([name, wrapper]) => [name, { ...wrapper, carries: true }] as const),
  ]);
  const prefixes = [...launchers.keys()].flatMap((name) => {
    const [head = "", ...verbs] = name.split(" ");
    return verbs.length > 1 ? [head, `${head} ${verbs[0]}`] : [head];
  });
  return { launchers, prefixes: new Set(prefixes) };
}

function containers(): (readonly [string, Wrapper])[] {
  const verbs = ["run", "exec", "container run", "container exec", "compose run", "compose exec"];
  return ["docker", "podman", "nerdctl"].flatMap((name) =>
    verbs.map((verb) => [`${name} ${verb}`, container] as const),
  );
}

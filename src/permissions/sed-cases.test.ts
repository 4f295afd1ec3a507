import { describe, expect, test } from "vitest";
import { judge } from "./judge/judge.ts";
import { compileRules } from "./policy.ts";
import { readSedScript } from "./shell/programs/sed-and-awk.ts";

const context = { cwd: "/t/proj", home: "/home/u", projectRoot: "/t/proj" };

function expectAll(decision: string, commands: readonly string[], deny = ["Bash(rm *)"]): void {
  const policy = compileRules([{ scope: "user", allow: ["Bash(*)"], deny }]);
  const decided = commands.map((command) => [
    command,
    judge({ tool: "Bash", input: { command } }, policy, context).decision,
  ]);
  expect(decided).toEqual(commands.map((command) => [command, decision]));
}

test.each([
  ["10,20p", { opaque: false }],
  ["s/foo/bar/g; s|a/b|c|", { opaque: false }],
  ["/start/,/end/{s/a/b/;p}", { opaque: false }],
  ["$!N;s/\\n/ /;P;D", { opaque: false }],
  ["/x/a\\\ntext e here", { opaque: false }],
  ["y/abc/xyz/;:a;ba", { opaque: false }],
  ["/[/]e/d", { opaque: false }],
  ["s/[/]/_/g", { opaque: false }],
  ["s/[/]e/_/e", { opaque: true }],
  ["1e date", { runs: ["date"], opaque: false }],
  ["s/a/b/e", { opaque: true }],
  ["s/a/b/ge", { opaque: true }],
  ["e", { opaque: true }],
  ["r .env", { reads: [".env"], opaque: false }],
  ["s/a/b/w out", { writes: ["out"], opaque: false }],
  ["s/a", { opaque: true }],
  ["v 4.2", { opaque: true }],
  [":a e date", { opaque: true }],
  ["1e echo \\; date", { opaque: true }],
  ["/a/", { opaque: true }],
  ["y/[/]/;1e date", { runs: ["date"], opaque: false }],
  ["\\,a\\,b,e date", { runs: ["date"], opaque: false }],
])("the effects of the sed script %j are known", (script, effects) => {
  expect(readSedScript(script)).toEqual({ runs: [], reads: [], writes: [], ...effects });
});

describe("commands that sed runs", () => {
  test("a deny rule covers them wherever GNU sed begins a new command", () => {
    expectAll("deny", [
      "sed '\\,a\\,b,e rm -r y' f",
      "sed ':a e rm -r y' f",
      "sed ':a;t a e rm -r y' f",
      "sed ':a;1e rm -r y' f",
      "sed 'v 4.2 e rm -r y' f",
      "sed 'y/[/]/;1e rm -r y #/' f",
      "sed 's/[]/]/x/;e rm -r y' f",
      "sed 's/[[:alpha:]/]/x/;e rm -r y' f",
      "sed 's[a[b[;e rm -r y' f",
      "sed '1 ~ 2 e rm -r y' f",
      "sed '/a/ I , + 1 ! e rm -r y' f",
      "sed '1{b};e rm -r y' f",
      "sed '1a\\\ntext\ne rm -r y' f",
      "sed '1a x\\\\\ne rm -r y' f",
    ]);
  });
  test("a command is asked about, or denied by its words, when sed resolves escapes in it", () => {
    expectAll("deny", [
      "sed '1e echo \\; rm -r y' f",
      "sed '1e r\\m -r y' f",
      "sed -e '1e\\' -e 'rm -r y' f",
      "sed '1e\\\nrm -r y' f",
    ]);
    expectAll("ask", ["sed '1e r\\x6d -r y' f"]);
  });
  test("a script is found behind the separate value of an option, and may be behind an unknown word", () => {
    expectAll("deny", [
      "sed -l 5 '1e rm -r y' f",
      "sed -nl 5 '1e rm -r y' f",
      "sed --line-length 5 '1e rm -r y' f",
      "sed -l -f '1e rm -r y' f",
      "sed --line '5' '1e rm -r y' f",
      "sed --e='1e rm -r y' f",
      "sed \"$OPT\" '1e rm -r y' f",
      "sed $OPT '1e rm -r y' f",
      "sed -\"$OPT\" '1e rm -r y' f",
      "sed -n$OPT '1e rm -r y' f",
      "sed -e \"$X\" '1e rm -r y' f",
      "sed f -s -e '1e rm -r y'",
      "sed -- '1e rm -r y' f",
      "sed -i '' '1e rm -r y' f",
    ]);
    expectAll("ask", ["ls | xargs sed", "ls | xargs -I% sed '1e % -r y' f", 'sed "1e $X -r y" f']);
    expectAll("ask", ['sed "$X" f', 'sed -e "$X" f', "sed -e s/a/b/ -e $X f", 'sed "$A$B" f']);
    expectAll(
      "deny",
      ["sed -l 5 'w .env' f", "sed --line-length 5 's/a/b/w .env' f", "sed -e 'a\\' -e 'x' -e 'w .env' f"],
      ["Edit(.env)"],
    );
    expectAll("ask", ["sed \"$OPT\" 'w .env' f", "sed $OPT 'w .env' f"], ["Edit(.env)"]);
    expectAll("deny", ["sed -l 5 'r .env' f", "sed ':a;R .env' f"], ["Read(.env)"]);
  });
  test("a part of a script that a variable holds does not hide the rest", () => {
    expectAll("deny", ['sed "${n}e rm -r y" f', 'sed -e"s/a/$b/;1e rm -r y" f', 'sed -es/$a/b/ -e "1e rm -r y" f']);
    expectAll("allow", [
      'sed -n "${a},${b}p" f',
      'sed -i.bak "s/a/$b/g" f',
      'sed -e"s/a/$b/" f',
      "sed -n ${n}p $f",
      "sed -e s/$a/b/ f",
    ]);
  });
});

test("an expansion in a script of sed is asked about where a command or a flag is expected", () => {
  expectAll("ask", [
    'sed "s/.*/ls y/${x:-e}" f',
    "sed 's/.*/ls y/'$(echo e) f",
    'x=$(echo e); sed "s/.*/ls y/$x" f',
    'sed "s/.*/ls y/${HOME:+e}" f',
    'sed "s/a/b/g$x" f',
    'sed "p;$(echo e ls y)" f',
    'sed "p;$x" f',
    'sed "p$x" f',
    'sed "$x;p" f',
    'sed "{$x}" f',
    'sed "/a/{$x}" f',
    'sed "$x#" f',
    'sed "1p\n$x" f',
    'sed "${x}d;$y" f',
  ]);
});

test("an expansion in a script of sed is asked about where its own text may be a command", () => {
  expectAll("ask", [
    'sed "s/.*/ls y${x:-/e;s/a}/" f',
    'sed "${x:-e ls y;}p" f',
    "sed \"$(echo e ls y '#')p\" f",
    'sed "s/.*/ls y$(echo /ge)/" f',
    "sed \"s|.*|ls y$(echo '|ge')|\" f",
    "sed \"s/.*/ls y$(printf '/\\ne ls')/\" f",
    "sed \"s/.*/ls y$(echo '/;1!e ls')/\" f",
    "sed \"s/.*/ls y$(echo '/;$e ls')/\" f",
    "sed \"/a/ , $(echo '1e ls;')p\" f",
    "sed \"/a/,$(echo '1e ls;')p\" f",
    'sed "s/.*/ls y${x:-/w out;s/a}/" f',
  ]);
});

test("an expansion in a script of sed is allowed where a number or text is expected", () => {
  expectAll("allow", [
    'sed -n "${n}{p;q}" f',
    'sed "1,${n}d" f',
    'sed "$n,\\$d" f',
    'sed -n "$a,+${b}p;0~${c}p" f',
    'sed "$(wc -l < f)d" f',
    'sed -n "${a},${b}p;${b}q" f',
    'sed "${n}s/.*/$x/" f',
    'sed -i "/$x/d" f',
    'sed -i "\\|$x|!d" f',
    'sed -i "s|$a|$b|g" f',
    'sed -i "s/x/$(date +%F)/;s/y/`hostname`/" f',
    'sed -i "s/x/$(echo "$b" | sed -e \'s/a/b/\')/" f',
    'sed "s/a/${x:-b}/;s/c/${y%/*}/" f',
    'sed "s/[$x]//" f',
    'sed "y/abc/$x/" f',
    'sed -i "${n}i $x" f',
    'sed "p # $x" f',
    'sed -i"$EXT" s/a/b/ f',
  ]);
});

test("an e or w in an expansion in the text of sed is allowed where it cannot end the text", () => {
  expectAll("allow", [
    "sed -i \"s/D/$(date '+%b %e')/\" f",
    'sed -i "s/IP/$(curl -s ifconfig.me)/" f',
    "sed -i \"s/D/$(grep -oE '\\w+' v.txt)/\" f",
    'sed "s/x/$(basename "$f" .e)/" f',
    'sed -i "s/X/${NAME:-me}/" f',
  ]);
});

test("ordinary scripts of sed are allowed", () => {
  expectAll(
    "allow",
    [
      "s/foo/bar/g",
      "s|/usr/local|/opt|g",
      "s#a#b#2p",
      "s,a\\,b,c,gI",
      "s/[/]/_/g",
      "s/[^]/]*/x/",
      "s/[[:space:]]\\+$//",
      "s/\\(a\\)\\(b\\)/\\2\\1/",
      "s/.*/&\\n&/; P; D",
      "10,20p",
      "$d",
      "$!d",
      "/^$/d",
      "/^#/!s/a/b/",
      "0~3d",
      "2~4{s/a/b/;p}",
      "/start/,/end/{//!d}",
      "/a/,+3d",
      "0,/a/s//b/",
      "\\,/usr,d",
      "/a/I,$p",
      "1i\\  #!/bin/sh",
      "/a/a\\\nline one\\\nline two",
      "$a export PATH",
      "/old/c\\new",
      "y/abc/xyz/",
      ":a;N;$!ba;s/\\n/ /g",
      ":a\ns/^\\(.*\\)x/\\1/\nta",
      "/a/{n;d;}; # comment",
      "$=",
      "5q",
      "1!G;h;$!d",
      "/x/r notes.txt",
      "l 80;Q3",
    ].map((script) => `sed -E <<'S' -f - f\n${script}\nS`),
  );
  expectAll("allow", [
    "sed -e '/x/a\\' -e 'text' f",
    "sed -i -e '$a\\' f",
    "sed -ne '/a/p' -e '/b/p' f",
    "sed -i '' 's/a/b/' f",
    "sed -i.bak -e 's/a/b/' f",
    "sed --expression='s/a/b/' --in-place=.bak f",
    "sed -s -n '$p' a b",
    "sed -f script.sed f",
    'sed -f "$DIR/x.sed" f',
    "sed --version",
  ]);
});

test("a backslash at the end of a line in single quotes is a part of the script", () => {
  expectAll("allow", ["sed 's/x/\\\n/g' f", "sed -i 's/a/b\\\nc/' $f", "echo a | sed '/x/a\\\ntext' \"b c\""]);
  expectAll("ask", ["bash -c 'r\\\nm -r y'", "ssh h 'r\\\nm -r y'", "git -c alias.z='!r\\\nm -r y' z", "r\\\nm -r y"]);
  expectAll("deny", ["foo --exec 'r\\\nm -r y'", "fzf --bind 'enter:execute(r\\\nm -r y)'", "echo # 'x\\\nrm -r y\n'"]);
});

test("long scripts that can be read in many ways take no more than a moment", () => {
  const before = process.cpuUsage();
  const signs = ["[^]x]", "[", "[:a", "\\", "/[", "{", "$!", "(/", "()/ "];
  for (const sign of signs) {
    const text = sign.repeat(Math.floor(20_000 / sign.length));
    expect(readSedScript(`s/${text}`).opaque).toBe(true);
    expectAll("ask", [`awk 'BEGIN{print /${text} | "x"}'`]);
  }
  const { user } = process.cpuUsage(before);
  expect(user / 1_000).toBeLessThan(9_000);
});

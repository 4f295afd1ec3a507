import { expect, test } from "vitest";
import { judge } from "./judge/judge.ts";
import { compileRules } from "./policy.ts";

const context = { cwd: "/t/proj", home: "/home/u", projectRoot: "/t/proj" };

function decisionOf(command: string): string {
  const policy = compileRules([{ scope: "user", allow: ["Bash(*)"], deny: ["Bash(rm *)"] }]);
  return judge({ tool: "Bash", input: { command } }, policy, context).decision;
}

function expectAll(decision: string, commands: readonly string[]): void {
  expect(commands.map((command) => [command, decisionOf(command)])).toEqual(
    commands.map((command) => [command, decision]),
  );
}

function expectNotAllowed(commands: readonly string[]): void {
  expect(commands.filter((command) => decisionOf(command) === "allow")).toEqual([]);
}

test("every redirection of descriptor 0 replaces standard input", () => {
  expectAll("ask", [
    "bash <<'A' 3<<'B' 0>&3\nls\nA\nrm -r y\nB",
    "bash 3<<'B' <<'A' 00>&3\nrm -r y\nB\nls\nA",
    "bash 3<<'B' <<'A' <&3\nrm -r y\nB\nls\nA",
    "sed -f - f <<'A' 3<<'B' 0>&3\np\nA\n1e rm -r y\nB",
    "psql <<'A' 3<<'B' 0>&3\nselect 1\nA\n\\! rm -r y\nB",
    "bash <<'A' 0<>f\nls\nA",
  ]);
  expectAll("deny", ["bash <<'A' 2>&1 >&2\nrm -r y\nA", "bash 0<<'A' >&3\nrm -r y\nA"]);
  expectAll("allow", ["bash <<'A' 2>&1 >&2\nls\nA", "cat <<'A' - 3<<'B'\nrm\nA\nrm x\nB"]);
});

test("a script is read from standard input under each of its names, also after cd", () => {
  expectAll("deny", [
    "cd /dev && bash stdin <<'E'\nrm -r y\nE",
    "cd /dev && bash ./fd/0 <<'E'\nrm -r y\nE",
    "cd /proc/self/fd && bash 0 <<'E'\nrm -r y\nE",
    "bash /proc/self/task/1/fd/0 <<'E'\nrm -r y\nE",
    "cd / && bash dev/stdin <<'E'\nrm -r y\nE",
    "cd /dev && sed -f stdin f <<'E'\n1e rm -r y\nE",
  ]);
  expectAll("ask", ["cd /dev/fd && bash 3 3<<'E'\nrm -r y\nE", "bash \"scripts/$X\" <<'E'\nrm -r y\nE"]);
  expectAll("allow", ["bash test/stdin", "bash 'scripts/x.sh' <<'E'\nrm -r y\nE", 'bash "scripts/$X.sh"']);
});

test("a program reads the here-document of the group or the shell around it", () => {
  expectAll("ask", [
    "{ psql; } <<'B'\n\\! rm -r y\nB",
    "(cd a; psql) <<'B'\n\\! rm -r y\nB",
    "bash -c psql <<'B'\n\\! rm -r y\nB",
    "if true; then bash; fi <<'B'\nrm -r y\nB",
    "psql -f /dev/fd/3 3<<'B'\n\\! rm -r y\nB",
  ]);
  expectAll("allow", ["{ cat; } <<'E'\nrm x\nE", "{ psql; } <<'E'\nselect 1;\nE"]);
});

test("pipes, backticks and programs in meta-commands of psql and mysql are not allowed", () => {
  expectNotAllowed([
    "psql -o '|rm -r y' -c 'select 1'",
    "psql -qo'| rm -r y'",
    "psql --output='|rm -r y'",
    "psql -v x='|rm -r y' -c '\\o :x'",
    "psql -c '\\echo `rm -r y`'",
    "psql -c '\\out | rm -r y'",
    "psql -c '\\write | rm -r y'",
    "psql <<'E'\nselect 1 \\g (format=csv) | rm -r y\nE",
    "psql -c \"copy t from program E'rm -r y'\"",
    "psql -c 'copy t from program $$rm -r y$$'",
    "psql <<'E'\nCOPY t FROM\nPROGRAM /**/ 'rm -r y'\nE",
    "psql -c '\\setenv PSQL_EDITOR rm' -c '\\e y'",
    "psql <<'E'\nselect 'copy t from pro' || 'gram ''rm -r y''' \\gexec\nE",
    "mysql -e '\\P rm -r y'",
    "mysql -e'system rm -r y'",
    "mysql --execute='system rm -r y'",
  ]);
  expectAll("allow", [
    "psql -F '|' -c 'select 1'",
    "psql -At -F'|' -c '\\d users'",
    "psql -c 'select a || b from t' | head",
    "psql <<'E'\n\\set x 1\n\\copy t from 'a.csv' csv\nselect E'a\\n' || b;\nE",
    "psql -c 'select * from program'",
    "mysql -e 'select 1\\p'",
  ]);
});

test("make is asked about when it reads its rules from an open file", () => {
  expectNotAllowed([
    "make -f /dev/stdin <<'E'\nall:\n\trm -r y\nE",
    "make -sf/dev/fd/0 <<'E'\nall:\n\trm -r y\nE",
    "make --file=/dev/stdin <<< 'a: ; rm -r y'",
    "cd /dev && make -f stdin <<< 'a: ; rm -r y'",
    "make -f - <<< 'a: ; rm -r y'",
    "make -f $X <<< 'a: ; rm -r y'",
  ]);
  expectAll("allow", ["make -f build/dev.mk all", "make -j4 -C src", "make stdin.o", "make -f dev/$X.mk URL=http://a"]);
});

test("awk does not run a command unseen", () => {
  expectNotAllowed([
    "awk 'BEGIN{system (\"rm -r y\")}'",
    "awk -F , -v a=1 'BEGIN{system(\"rm -r y\")}'",
    'awk \'BEGIN{print "x" | "rm -r y"}\'',
    "awk '{print | $0}' <<< 'rm -r y'",
    'awk \'BEGIN{print x,\n"y" | "rm -r y"}\'',
    'awk \'BEGIN{print /"/ | "rm -r y"}\'',
    "awk 'BEGIN{print /;/ | \"rm -r y\"}'",
    'awk \'BEGIN{if(1)/"/;print|"rm -r y"}\'',
    'awk \'BEGIN{x++ /"/;print|"rm -r y"}\'',
    "awk 'BEGIN{\"rm -r y\" | getline}'",
    'awk \'BEGIN{print 1 # "\n print | "rm -r y"}\'',
    'gawk \'BEGIN{f="system";@f("rm -r y")}\'',
    "awk -f - <<< 'BEGIN{system(\"rm -r y\")}'",
    "awk -vx=1 -f /dev/stdin <<< 'BEGIN{system(\"rm -r y\")}'",
    "awk $OPT <<< 'BEGIN{system(\"rm -r y\")}'",
    "gawk '@include \"/dev/stdin\"' <<< 'BEGIN{system(\"rm -r y\")}'",
  ]);
});

test("a slash of awk that one version reads as a division is read in both ways", () => {
  expectNotAllowed([
    "awk '{x=case/system(\"rm y\")/2}' f",
    "awk '{x=a++/system(\"rm y\")/2}' f",
    "awk '{x=a[1]-- /system(\"rm y\")/2}' f",
  ]);
});

test("awk is asked about when its program is not known", () => {
  expectAll("ask", [
    "cat p | awk -f -",
    "cat p | awk -f/dev/stdin f",
    "awk -f <(cat p) f",
    "awk -f /dev/fd/3 3< p",
    'awk -f "$x" f',
    "cat p | xargs -0 awk",
    "cat p | xargs -I% awk % f",
    "find a -exec awk {} f \\;",
    'awk "$x" f',
    'awk "$x" -f y.awk',
    "awk $x '{print}' f",
    'awk "$(cat p)" f',
    'awk "BEGIN{$x}" f',
    'awk "{print};$x" f',
    'gawk -e "$x" f',
    "cat p | gawk -i /dev/stdin 1 f",
    "cat p | gawk --exec - f",
    "cat p | mawk -W exec -",
    "cat p | mawk -W interactive -f -",
    "gawk --an-option '{print}' f",
  ]);
});

test("a known program of awk is allowed with operands and values that are not known", () => {
  expectAll("allow", [
    'awk "{print \\$$n}" f',
    'awk "NR>=$a && NR<=$b" f',
    'awk "/$x/{print \\$2}" f',
    'awk -v n="$n" -F"$x" -vm=$m \'NR>n\' "$@"',
    "awk '{print}' $f -x",
    'awk -f lib.awk -f "$DIR/x.awk" "$f"',
    "ls | xargs awk '{print}'",
    "ls | xargs -I% awk '{print}' %",
    "find . -exec awk '{print}' {} +",
    "gawk -i inplace -bM '{print}' f",
    "gawk --pretty-print --profile --lint-old --optimize --use-lc-numeric --gen-pot 1 f",
    "gawk --dump-variables=x 1 f",
    "awk -W version",
    "mawk -W interactive '{print}' f",
    "gawk --csv --assign=n=1 -- '{print}' f",
    "awk '{n++; x--; print n/2, x/3}' f",
    "awk --version",
  ]);
});

test("a program reads what echo, printf and here-documents pass through a pipe", () => {
  expectAll("ask", [
    "echo '\\! rm y' | psql",
    "printf 'select 1;\\n.shell rm y\\n' | sqlite3",
    "printf '%s\\n' 'select 1;' 'system rm y' | mysql",
    "{ cat a; echo '\\! rm y'; } | tee log | docker exec -i db psql",
    "cat <<'E' | psql\n\\! rm y\nE",
  ]);
  expectAll("allow", [
    "echo 'select a || b' | psql",
    "echo '\\d t' | psql | cat",
    "printf '.mode csv\\n.import a.csv t\\n' | sqlite3 db",
    "echo '\\! rm y' | cat; psql",
    "psql | echo '\\! rm y'",
  ]);
});

test("piped text of another kind than commands is allowed", () => {
  expectAll("allow", [
    "echo 'note: y' | make oldconfig",
    "echo 'Result: ok' | make -j$(nproc) report",
    "echo 'fix: all' | xargs -I{} make MSG={}",
    "echo 'if (!ready) return' | vim -",
    "echo 'a te b; !x' | vim -R - -c 'set ft=c'",
    "printf '%s\\n' a '#!/bin/sh' . w q | ed f",
    "echo 'copy the program' | psql",
    "printf \"select a\\tfrom t where b ~ 'x|y';\" | psql",
  ]);
  expectNotAllowed([
    "echo 'a: ; rm y' | make -f -",
    "echo 'a: ; rm y' | make --file=-",
    "echo 'a: ; rm y' | make $X",
    "echo ':!rm y' | vim f",
    "echo ':!rm y' | vim -s - f",
    "echo '!rm y' | vim -es f",
    "echo ':!rm y' | vim -c - f",
    "echo ':!rm y' | vim -- -",
    "printf '!rm y\\n' | ed f",
    "printf 'w !rm y\\n' | ed f",
    "printf '\\timing `rm y`' | psql",
    "printf \"copy t\\nto program 'rm y'\" | psql",
    "printf 'select 1;\\nsystem rm y\\n' | mysql",
  ]);
});

test("long texts for programs with commands of their own take no more than a moment", () => {
  const before = process.cpuUsage();
  const signs = ["\n", " ", "\n ", "\\a", "copy ", "; ", "! ", "/ ", "a\n", "/x", "sil "];
  for (const program of ["psql", "mysql", "sqlite3", "vim", "make", "awk -f -", "sed -f -"]) {
    for (const sign of signs) decisionOf(`${program} <<'E'\n${sign.repeat(Math.floor(90_000 / sign.length))}\nE`);
  }
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(9_000);
});

test("pipes in strings, regular expressions and data of awk are allowed", () => {
  expectAll("allow", [
    "awk '{print $1}' <<E\nsystem(\nE",
    "awk -F'|' '{print $2}' f",
    "awk -F '|' -v OFS='|' '{print $1,$2}' f",
    "awk '/foo|bar/ {print $1 \"|\" $2/2}' f",
    "awk '$1 ~ /a|b/ || $2 {gsub(/x|[/]/,\"\"); print}' f",
    "awk 'match($0,/v([0-9]+|x)/,m){print m[1]}' f",
    "awk '{print}\n/x|y/{print ($1+$2)/2 \"%\"}' f",
    "awk 'BEGIN{while((getline l < \"f\")>0) print l}'",
    'awk -f "$DIR/x.awk" f',
  ]);
});

test("other programs that run lines with an exclamation mark are not allowed", () => {
  expectNotAllowed([
    "dc -e '!rm -r y'",
    "sftp h <<'E'\n!rm -r y\nE",
    "gnuplot -e 'system \"rm -r y\"'",
    "m4 <<'E'\nsyscmd(`rm -r y')\nE",
  ]);
  expectAll("allow", ["dc -e '1 2 + p'", "sftp h <<'E'\nget a\nE", "m4 -DX=1 f.m4", "gcc-13 -c a.c"]);
});

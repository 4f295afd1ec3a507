import { existsSync } from "node:fs";
import { afterAll, test as anyTest, beforeAll, expect } from "vitest";
import { analyseShell } from "../../src/permissions/internal.ts";
import { hasBash, type Oracle, openOracle } from "./bash-oracle.ts";
import { deniedFile } from "./file-violation.ts";
import { violations } from "./shell-violation.ts";
import { compare } from "./unsound.ts";

const test = anyTest.skipIf(!hasBash());

let oracle: Oracle;
beforeAll(async () => {
  oracle = await openOracle();
});
afterAll(() => oracle.close());

/** What the parser alone does not see, as measured: the inner command is hidden, or another one is shown. */
const misread = [
  "git log 7>(rm x)",
  'git log "${\\\nx:-$(rm y)}"',
  "a=(1 $(rm x))x git status",
  "git status && [[ 'a[$(rm x)]' -eq 0 ]]",
  "git log ${y['$(rm x)']}",
  "y='$(rm x)'; git log \"${y@P}\"",
  "git log >&'$(rm x)'",
  "git log <<E\n${x:-'$(rm x)'}\nE",
];

test.each(misread)("bash runs rm in %j, and the analysis does not call it complete", async (line) => {
  const { ran } = await oracle.run(line);
  const rmRan = ran.includes("rm");
  expect({ rmRan, complete: analyseShell(line, { cwd: "/t", home: "/h" }).complete }).toEqual({
    rmRan: true,
    complete: false,
  });
});

/** What the fuzz found; each stays here for good. */
const finds = [
  "x>()f1 || c1",
  "case a in a) cd d2;& b) c1 > f0;; esac",
  '/bin/bash +u + +c "c1 x"',
  "/usr/bin/git config -f f3 alias.z '!/bin/bash -c c1'",
];

test.each(finds)("an earlier finding does not return: %j", async (line) => {
  const deeds = await oracle.run(line);
  expect(violations(analyseShell(line, { cwd: deeds.cwd, home: deeds.cwd }), deeds)).toEqual([]);
});

const comparedFinds = [
  "/bin/sed ${*}'s/x/y/w f2' $$[1+1]@<<< x",
  "trap '$[1+1]c2 x' EXIT | c3 ",
  "c1 x>];x='a[${x^^}$(c2 x)]'; ((x))",
  "c1  a\\ b '' ${y['$(c2$\"a\" x)']} >| - ; LANG[0]=1 c3 'a b' - # <<'E'\nE",
  "/bin/sed 's/x/y/w f8'\\ <<< x ;\nc1 f1",
  "if true; then if true; then cd d1; else g=1; fi; else f=2; fi ; (h+=3)\n/bin/bash -c 'cat k'",
  "for i in 1 2; do cat k; cd d1; done",
  "cd d1; cd ..; cd -; cat k",
  "f=d1; cd $f; cat k",
  "$uiltin cd d1/../d2; c1 > d3/\\f3",
  "cd $f && cd d1 && cp k* x",
  ">&-c1 x; >&-- || builtin cd -P l || c2 > f5",
  "/bin/sed '1e /b$@in/bash -f -c \"c1 x\"' <<< x;",
  "((c1 [[ ; c2 \\$x <<E\n$((x[$(c3)]))\nE\n\nc4 x <<< '$(c5 x)') )",
  "((c1 ~ \"$(c0<<-'E'\n$((x[$(c2)]))\nE\n)\" # <<'E'\nc97\nE) )|echo ''-v ~",
  "$*npm tes2>&1 | tai>f6 l -20",
  "($xc1 ${x} y a=b # )\n) # c99",
  "\\c1<\\\n()y yy y",
  'jobs -x ${x:-"a"}c2 x',
  "c1 x | $*python3 -m  son.to$[1+1]ol",
  "/usr/b$*in/git diff --no-index -p --output f4 README a.t",
  "cd -P l && { cd ..; }; c2 > d3/f8",
  "trap done$\\\n':\\nc1 x'\\\n EXIT;",
  "let 'a[$(c${x^^}3 x)]' &",
];

test.each(comparedFinds)("the analysis of %j agrees with what bash does", async (line) => {
  const deeds = await oracle.run(line);
  expect(deeds.ran.length + deeds.made.length).toBeGreaterThan(0);
  expect(compare(line, deeds).unsound).toEqual([]);
});

test("a file made in another folder than a part lists is a violation", async () => {
  const deeds = await oracle.run("cd d1 && c1 > f1; cd ../l && c2 > ../f2");
  expect(deeds.made).toEqual([`${deeds.cwd}/d1/f1`, `${deeds.cwd}/d2/f2`]);
  const seen = (line: string) => violations(analyseShell(line, { cwd: deeds.cwd, home: "/h" }), deeds);
  expect(seen("cd d1 && c1 > f1; cd ../l && c2 > ../f2")).toEqual([]);
  expect(seen("c1 > f1; c2 > f2")).toEqual(deeds.made.map((path) => `made "${path}"`));
});

test("a word that decodes to git is not git", async () => {
  const line = "$'gi\\\nt' status";
  expect(analyseShell(line, { cwd: "/t", home: "/h" }).complete).toBe(false);
  expect((await oracle.run(line)).ran).toEqual(["gi\\\nt"]);
});

test("the oracle sees what bash runs and makes, and a part that is missing is a violation", async () => {
  const deeds = await oracle.run("c1 x > f1; c2 $(c3) | c4 &\nwait");
  expect({ ran: [...deeds.ran].sort(), made: deeds.made }).toEqual({
    ran: ["c1", "c2", "c3", "c4"],
    made: [`${deeds.cwd}/f1`],
  });
  const analysis = analyseShell("c1 x; c2 | c4", { cwd: "/t", home: "/h" });
  expect(violations(analysis, deeds)).toEqual(['ran "c3"', `made "${deeds.cwd}/f1"`]);
});

test.each([
  '/bin/bash +x -c "c1 x"',
  "/usr/bin/env /bin/bash +e -c 'c1 x'",
  "/usr/bin/git -c alias.z='!/bin/bash -c \"c1 x\"' z",
  "/bin/sed '1e /bin/bash -c \"c1 x\"' <<< x",
  "/bin/tar -cf /dev/null --checkpoint=1 --checkpoint-action=exec='/bin/bash -c \"c1 x\"' d1",
  "/usr/bin/find d1 -exec /bin/bash -c 'c1 x' \\;",
])("the oracle sees the command inside %s", async (line) => {
  if (!existsSync(line.split(" ")[0] ?? "")) return;
  const deeds = await oracle.run(line);
  expect(deeds.ran).toContain("c1");
  expect(violations(analyseShell(line, { cwd: deeds.cwd, home: deeds.cwd }), deeds)).toEqual([]);
});

test("the oracle sees the names that bash gives to a command, and an allowed line with the denied file is found", async () => {
  const line = "f=.e*; cat $f README";
  const deeds = await oracle.run(line);
  expect(deeds.calls).toEqual([{ folder: deeds.cwd, words: ["cat", ".env", "README"] }]);
  expect(deniedFile(line, deeds)).toEqual({ given: ["cat .env README"], decision: "deny" });
  expect(deniedFile("true", deeds)).toEqual({ given: ["cat .env README"], decision: "allow" });
});

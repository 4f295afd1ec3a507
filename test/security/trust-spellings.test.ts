/** One row per spelling: approved, then the file it runs is changed, then fired. It does not run. */
import { chmod, mkdir, rm, symlink, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { type CheckoutWorld, checkoutWorld, hooksOn } from "../../src/engine/fixtures/checkout.ts";
import { openEngine, reviewTrust } from "../../src/engine/internal.ts";

const says = (word: string) => `echo ${word}\n`;

/** A project with a script in many languages and shapes. */
async function project(): Promise<CheckoutWorld> {
  const world = await checkoutWorld();
  const files: Readonly<Record<string, string>> = {
    ".claude/hooks/h.sh": `#!/bin/sh\n${says("one")}`,
    ".claude/hooks/h.awk": 'BEGIN { print "one" }\n',
    ".claude/hooks/M": "all:\n\t@echo one\n",
    ".claude/hooks/Hk.pm": 'package Hk; print "one\\n"; 1;\n',
    ".claude/hooks/index.js": 'console.log("one");\n',
    ".claude/hooks/m.js": 'console.log("one");\n',
    ".claude/hooks/h.cjs": 'console.log("one");\n',
    "hk.py": 'print("one")\n',
    "pkg/__main__.py": "import helper\n",
    "pkg/helper.py": 'print("one")\n',
    "pkg/imports.py": "import json, own\n",
    "pkg/own.py": "",
    Makefile: "include rules/*.mk\nhook:\n\t@sh scripts/deep.sh\n",
    "rules/a.mk": "X = 1\n",
    "scripts/deep.sh": says("one"),
    "scripts/outer.sh": '#!/bin/sh\n. "$(dirname "$0")/lib.sh"\n',
    "scripts/lib.sh": says("one"),
    "scripts/start.js": 'require("child_process").execFileSync("sh", ["scripts/deep.sh"]);\n',
    ".claude/hooks/mod.rb": "puts 1\n",
    "tsconfig.json": "{}",
    "deno.json": JSON.stringify({ tasks: { hook: "sh scripts/deep.sh" } }),
    "scripts/words.sh": 'CMD="sh scripts/deep.sh"\n$CMD\n',
    "scripts/function.sh": 'run() { "$@"; }\nrun sh scripts/deep.sh\n',
    "scripts/given.sh": 'name="$1"\n. scripts/"$name".sh\n',
    "scripts/tools.sh": "uv run --quiet bash scripts/lib.sh\n",
    "scripts/first-line": "#!/usr/bin/env -S node --import ./.claude/hooks/m.js\n",
    "scripts/escaped.mjs": 'import "../.claude/hooks/\\u006d.js";\n',
    "package.json": JSON.stringify({
      scripts: { hook: "sh scripts/deep.sh", prehook: "echo before", other: "echo x" },
    }),
  };
  for (const [path, text] of Object.entries(files)) await world.put(`project/${path}`, text);
  for (const path of [".claude/hooks/h.sh", "scripts/first-line"]) await chmod(join(world.project, path), 0o755);
  for (const name of ["d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8", "d9"]) await mkdir(join(world.project, name));
  return world;
}

async function approve({ options }: CheckoutWorld): Promise<readonly string[]> {
  const review = await reviewTrust(options);
  await review.pin(review.entries);
  const [entry] = (await reviewTrust(options)).entries;
  expect([entry?.state, entry?.unusable]).toEqual(["trusted", undefined]);
  return entry?.files.map(({ path }) => path) ?? [];
}

async function fired({ options }: CheckoutWorld): Promise<string> {
  const engine = await openEngine(options);
  try {
    const { runs, skipped } = await engine.fire("Stop", {});
    return runs.length > 0 ? "ran" : (skipped[0]?.detail.split("; run hookline")[0] ?? "");
  } finally {
    await engine.close();
  }
}

const h = ".claude/hooks/h.sh";
/** The command, and the file that it runs. */
const pinned: readonly (readonly [command: string, file: string])[] = [
  ["sh .claude/hooks/h.sh", h],
  ["awk -f.claude/hooks/h.awk", ".claude/hooks/h.awk"],
  ["awk -f .claude/hooks/h.awk", ".claude/hooks/h.awk"],
  ["make -f.claude/hooks/M", ".claude/hooks/M"],
  ["make --file=.claude/hooks/M", ".claude/hooks/M"],
  ["perl -I.claude/hooks -MHk -e 1", ".claude/hooks/Hk.pm"],
  ["sh .claude/hooks/*.sh", h],
  ["sh .claude/hooks/?.sh", h],
  ["sh .claude/hooks/[h].sh", h],
  ['for f in .claude/hooks/*.sh; do sh "$f"; done', h],
  ["cat .claude/hooks/* | sh", h],
  ["D=hooks/h; sh .claude/$D.sh", h],
  ["sh ${X:-.claude/hooks/h.sh}", h],
  ['D=.claude; E="$D/hooks"; sh "$E"/h.sh', h],
  ["sh .claude/{hooks,other}/h.sh", h],
  ["ls d1 d2 d3 d4 d5 d6 d7 d8 d9 >/dev/null; cd .claude/hooks && ./h.sh", h],
  ["bash -c 'echo x > >(.claude/hooks/h.sh)'", h],
  ["bash -c 'cat <(sh .claude/hooks/h.sh)'", h],
  [`bash -c ": $'\\' #'; sh .claude/hooks/h.sh"`, h],
  ["sh $'.claude/hooks/h\\x2esh'", h],
  ["node .claude/hooks", ".claude/hooks/index.js"],
  ["node .claude/hooks/m", ".claude/hooks/m.js"],
  ["cd .claude && node hooks/m", ".claude/hooks/m.js"],
  ["run-parts .claude/hooks", h],
  ["find .claude/hooks -name '*.sh' -exec sh {} \\;", h],
  ["find .claude/hooks -type f | xargs -n1 sh", h],
  ["python3 -m hk", "hk.py"],
  ["python3 -m pkg", "pkg/helper.py"],
  ["python3 pkg", "pkg/helper.py"],
  ["make -s hook", "Makefile"],
  ["make -s hook", "rules/a.mk"],
  ["make -s hook", "scripts/deep.sh"],
  ["npm run -s hook", "scripts/deep.sh"],
  ["npm run hook --silent", "package.json#scripts.hook"],
  ["yarn hook", "scripts/deep.sh"],
  ["pnpm run hook", "scripts/deep.sh"],
  ["sh < .claude/hooks/h.sh", h],
  ["env -i PATH=/bin:/usr/bin .claude/hooks/h.sh", h],
  ["timeout 5 sh .claude/hooks/h.sh", h],
  ["xargs -a /dev/null sh .claude/hooks/h.sh", h],
  ["cat <<E\n$(sh .claude/hooks/h.sh)\nE", h],
  ["cat <<-E\n\t'`sh .claude/hooks/h.sh`\n\tE", h],
  ["cd .claude/hooks && $PWD/h.sh", h],
  ["cd .claude/hooks && here=$PWD && sh $here/h.sh", h],
  ["cd .claude/hooks && sh ~+/h.sh", h],
  ["PATH=.claude/hooks:$PATH h.sh", h],
  ["eval 'sh .claude/hooks/h.sh'", h],
  ["sh scripts/outer.sh", "scripts/lib.sh"],
  ["node scripts/start.js", "scripts/deep.sh"],
  ["sh <<EOF\n. .claude/hooks/h.sh\nEOF", h],
  ["node -e 'require(\"./.claude/hooks/h.cjs\")'", ".claude/hooks/h.cjs"],
  ["if true; then sh .claude/hooks/h.sh; fi", h],
  ["case x in x) sh .claude/hooks/h.sh;; esac", h],
  ["npx tsx .claude/hooks/m", ".claude/hooks/m.js"],
  ["uv run python3 -m hk", "hk.py"],
  ["docker run --rm -w /w img sh scripts/deep.sh", "scripts/deep.sh"],
  ["poetry run python hk.py", "hk.py"],
  ["bun hook", "scripts/deep.sh"],
  ["bun run hook", "package.json#scripts.hook"],
  ["deno task hook", "deno.json"],
  ["deno task hook", "scripts/deep.sh"],
  ["ts-node .claude/hooks/m.js", "tsconfig.json"],
  ["ruby -I .claude/hooks -r mod -e 1", ".claude/hooks/mod.rb"],
  ["ruby -I.claude/hooks -rmod -e 1", ".claude/hooks/mod.rb"],
  ["bash -c \"python3 <<< 'import hk'\"", "hk.py"],
  ["python3 '-cimport hk'", "hk.py"],
  ["cat <<EOF | sh\n. scripts/lib.sh\nEOF", "scripts/lib.sh"],
  ["PYTHONPATH=pkg python3 -c 'import helper'", "pkg/helper.py"],
  ["sh scripts/words.sh", "scripts/deep.sh"],
  ["sh scripts/function.sh", "scripts/deep.sh"],
  ["sh scripts/tools.sh", "scripts/lib.sh"],
  ["scripts/first-line", ".claude/hooks/m.js"],
  ["node scripts/escaped.mjs", ".claude/hooks/m.js"],
  ["sh -c 'sh .claude/hooks/$1.sh' _ h", h],
  ["sh -c 'sh .claude/hooks/$0.sh' h", h],
  ['set -- h; for x in "$@"; do sh .claude/hooks/$x.sh; done', h],
  ["run() { sh .claude/hooks/$1.sh; }; run h", h],
  ["sh ${1:-.claude/hooks/h.sh}", h],
  ["sh scripts/given.sh lib", "scripts/lib.sh"],
];

test.each(pinned)("the approval of %j ends when %s changes", async (command, file) => {
  const world = await project();
  await world.put("project/.claude/settings.json", hooksOn("Stop", command));
  expect(await approve(world)).toContain(file);
  const [path = "", part] = file.split("#");
  if (part === undefined) await world.put(`project/${path}`, "evil\n");
  else await world.put("project/package.json", { scripts: { hook: "echo evil" } });
  expect(await fired(world)).toMatch(/^.+ has changed since it was approved$/);
});

/** A file that is added after the approval and would be run by the same command. */
const added: readonly (readonly [command: string, file: string])[] = [
  ["sh .claude/hooks/*.sh", ".claude/hooks/new.sh"],
  ["cat .claude/hooks/* | sh", ".claude/hooks/new.sh"],
  ["run-parts .claude/hooks", ".claude/hooks/new"],
  ["find .claude/hooks -name '*.sh' -exec sh {} \\;", ".claude/hooks/deep/new.sh"],
  ["make -s hook", "GNUmakefile"],
  ["make -s hook", "rules/new.mk"],
  ["python3 -m pkg", "pkg/__init__.py"],
  ["node .claude/hooks/m", ".claude/hooks/m/index.js"],
  ["bun .claude/hooks/m.js", "bunfig.toml"],
  // A file next to the program comes before the module of that name that comes with Python.
  ["python3 pkg/imports.py", "pkg/re.py"],
  ["python3 pkg/imports.py", "pkg/own.cpython-312-x86_64-linux-gnu.so"],
  ["python3 pkg/imports.py", "pkg/own.pyc"],
];

test("compiled Python that is used without checking its source ends the approval; the cache of Python does not", async () => {
  const world = await project();
  await world.put("project/.claude/settings.json", hooksOn("Stop", "python3 pkg/imports.py"));
  await approve(world);
  const state = async () => (await reviewTrust(world.options)).entries[0]?.state;
  await world.put("project/pkg/__pycache__/own.cpython-312.pyc", "abcd\0\0\0\0rest");
  expect(await state()).toBe("trusted");
  await world.put("project/pkg/__pycache__/own.cpython-312.pyc", "abcd\u0001\0\0\0rest");
  expect(await state()).toBe("changed");
});

test.each(added)("the approval of %j ends when %s is added", async (command, file) => {
  const world = await project();
  await world.put("project/.claude/settings.json", hooksOn("Stop", command));
  await approve(world);
  await world.put(`project/${file}`, "echo evil\n");
  expect(await fired(world)).toBe(`${file} has changed since it was approved`);
});

test("the approval of `npm run` covers its script and those before and behind it, not the rest of package.json", async () => {
  const world = await project();
  await world.put("project/.claude/settings.json", hooksOn("Stop", "npm run -s hook"));
  expect(await approve(world)).toEqual([
    "package.json#scripts.hook",
    "package.json#scripts.prehook",
    "scripts/deep.sh",
  ]);
  const scripts = { hook: "sh scripts/deep.sh", prehook: "echo before", other: "echo y" };
  await world.put("project/package.json", { version: "2.0.0", dependencies: { a: "1" }, scripts });
  const state = async () => (await reviewTrust(world.options)).entries[0]?.state;
  expect(await state()).toBe("trusted");
  await world.put("project/package.json", { scripts: { ...scripts, posthook: "sh evil.sh" } });
  expect(await state()).toBe("changed");
  await world.put("project/package.json", { scripts: { ...scripts, prehook: "sh evil.sh" } });
  expect(await state()).toBe("changed");
});

/** The command, and what `trust` says is not covered. */
const named: readonly (readonly [command: string, what: string | RegExp])[] = [
  ["sh $UNSET_SCRIPT", "$UNSET_SCRIPT"],
  ["sh ${X:-.claude/hooks/h.sh}", "${X:-.claude/hooks/h.sh}"],
  ['"$TOOL" run', '"$TOOL"'],
  ["sh $(ls .claude/hooks/*.sh)", "$(ls .claude/hooks/*.sh)"],
  ["curl -s http://127.0.0.1:9 | sh", "curl … | sh"],
  ["eslint .", "eslint"],
  ["npx eslint .", "npx eslint ."],
  ["npm run absent", "npm run absent"],
  ["npm test -w sub", "npm test -w sub"],
  ["python3 -m absent", "python3 -m absent"],
  ["make -f$FILE", "-f$FILE"],
  ["perl .claude/hooks/x.pl", ".claude/hooks/x.pl"],
  ["node .claude/hooks/dynamic.js", /^\.claude\/hooks\/dynamic\.js: import\(name/],
  ["node .claude/hooks/packages.mjs", "package left 1.2.3"],
  ["node .claude/hooks/packages.mjs", /^package right \(not installed/],
  ["sh .claude/hooks/unknown.sh", '.claude/hooks/unknown.sh: "$WHO/x.sh"'],
  ["sh scripts/$1.sh", "scripts/$1.sh"],
  ["git status", "git"],
  ["/usr/bin/pytest", "pytest"],
  ["sh /tmp/somewhere.sh", "/tmp/somewhere.sh"],
  ["sh /proc/self/cwd/scripts/deep.sh", "/proc/self/cwd/scripts/deep.sh"],
  ["node --test", "node --test"],
  ["node --test .claude/hooks", "node --test .claude/hooks"],
  ["java -cp .claude/hooks Main", "java"],
  ["cat list.txt | xargs node", "cat … | xargs node"],
  ["xargs node < list.txt", "xargs node"],
  ["xargs -a list.txt node", "xargs node"],
  ["xargs -0 -I X --arg-file list.txt node X", "xargs node"],
  ["PERL5OPT=-MHk perl -e 1", "PERL5OPT=-MHk"],
  ["PATH=scripts:$PATH sh .claude/hooks/h.sh", "PATH=scripts:$PATH"],
  ["deno task absent", "deno task absent"],
  ["python3 .claude/hooks/loads.py", "package requests (Python)"],
  ["node .claude/hooks/evaluates.cjs", ".claude/hooks/evaluates.cjs: eval("],
  ["bash .claude/hooks/list.sh", '.claude/hooks/list.sh: "$x"'],
];

/** Ordinary hooks, and a file that changes in daily work. */
const unrelated: readonly (readonly [command: string, file: string])[] = [
  ["npm run lint", "src/a.ts"],
  ["sh scripts/checks.sh", "src/a.ts"],
  ["sh scripts/checks.sh", "log.txt"],
  ["python3 pkg/imports.py", "pkg/__pycache__/own.cpython-312.pyc"],
  ["python3 pkg/imports.py", "pkg/other.py"],
  ["node .claude/hooks/m.js", ".claude/hooks/h.cjs"],
  ["node .claude/hooks/m.js", "tsconfig.json"],
  ["uv run pytest -q", "hk.py"],
  ["npx prettier --check .", "src/a.ts"],
];

test.each(unrelated)("the approval of %j does not end when %s changes", async (command, file) => {
  const world = await project();
  await world.put("project/package.json", { scripts: { lint: "eslint src/a.ts && tsc -p ." } });
  await world.put("project/scripts/checks.sh", 'npx prettier --write "$1"\neslint src/a.ts\necho done >> log.txt\n');
  await world.put("project/src/a.ts", "1;\n");
  await world.put("project/.claude/settings.json", hooksOn("Stop", command));
  await approve(world);
  await world.put(`project/${file}`, "other\n");
  expect((await reviewTrust(world.options)).entries[0]?.state).toBe("trusted");
});

test.each([
  "node -e 'console.log(1)'",
  "python3 -c 'import json, sys; print(json.load(sys.stdin))'",
  "jq -r '.tool_input.command | ascii_downcase'",
])("words of a program text are not taken for programs: %j", async (command) => {
  const world = await project();
  await world.put("project/.claude/settings.json", hooksOn("Stop", command));
  expect((await reviewTrust(world.options)).entries[0]?.notCovered).toEqual([]);
});

test("a command that is handed on as it was given is covered and not named", async () => {
  const world = await project();
  const command = `sh -c '"$@" || exit 2' guard node .claude/hooks/m.js`;
  await world.put("project/.claude/settings.json", hooksOn("Stop", command));
  expect(await approve(world)).toEqual([".claude/hooks/m.js"]);
  expect((await reviewTrust(world.options)).entries[0]?.notCovered).toEqual([]);
});

test("a variable that leads programs only to places outside the folder is not named", async () => {
  const world = await project();
  const command = 'PATH="/usr/local/bin:$PATH" NODE_ENV=production node .claude/hooks/m.js';
  await world.put("project/.claude/settings.json", hooksOn("Stop", command));
  expect((await reviewTrust(world.options)).entries[0]?.notCovered).toEqual([]);
});

test.each(named)("trust names what %j may run and no approval covers", async (command, what) => {
  const world = await project();
  await world.put("project/.claude/hooks/x.pl", 'require "./y.pl";\n');
  await world.put("project/.claude/hooks/dynamic.js", "import(name);\n");
  await world.put(
    "project/.claude/hooks/packages.mjs",
    'import "left"; import { r } from "right"; import "node:fs";\n',
  );
  await world.put("project/list.txt", ".claude/hooks/m.js\n");
  await world.put("project/.claude/hooks/loads.py", "import json, requests\n");
  await world.put("project/.claude/hooks/evaluates.cjs", 'eval(require("fs").readFileSync("x.txt", "utf8"));\n');
  await world.put("project/.claude/hooks/list.sh", 'all=(a.sh)\nfor x in "${all[@]}"; do sh "$x"; done\n');
  await world.put("project/node_modules/left/package.json", { name: "left", version: "1.2.3" });
  await world.put("project/.claude/hooks/unknown.sh", '. "$WHO/x.sh"\n');
  await world.put("project/.claude/settings.json", hooksOn("Stop", command));
  const [entry] = (await reviewTrust(world.options)).entries;
  const whats = entry?.notCovered.map((one) => one.what) ?? [];
  expect(whats.some((one) => (typeof what === "string" ? one === what : what.test(one))) || whats).toBe(true);
});

test.each([
  ['for (const name of list) require("./rules/" + name);', 'require("./rules/" + name)'],
  ['await import("./rules/".concat(name, ".mjs"));', 'import("./rules/".concat(name, ".mjs")'],
  [
    'const load = createRequire(import.meta.url); load(/* rule */ "./rules/"\n + name);',
    'load(/* rule */ "./rules/" + name)',
  ],
])("trust names an import whose name only begins with a text: %s", async (source, what) => {
  const world = await checkoutWorld();
  await world.put("project/.claude/m.mjs", source);
  await world.put("project/.claude/settings.json", hooksOn("Stop", "node .claude/m.mjs"));
  const [entry] = (await reviewTrust(world.options)).entries;
  expect(entry?.notCovered.map((one) => one.what)).toContainEqual(expect.stringContaining(what));
});

test.each([
  "set -- lib/x.sh; sh $1",
  "exec 3<lib/x.sh; sh <&3",
  "hash -p lib/x.sh ls; ls",
  "BASH_ENV=lib/x.sh bash -c true",
  "export BASH_ENV=lib/x.sh; bash -c true",
  "sort --compress-program=lib/x.sh big.txt",
  'split --filter="sh lib/x.sh" big.txt',
])("an approval covers the file that a script runs by %j", async (script) => {
  const world = await checkoutWorld();
  await world.put("project/lib/x.sh", "echo x\n");
  await world.put("project/hook.sh", `#!/bin/bash\n${script}\n`);
  await world.put("project/.claude/settings.json", hooksOn("Stop", "bash hook.sh"));
  const [entry] = (await reviewTrust(world.options)).entries;
  expect(entry?.files.map(({ path }) => path)).toContain("lib/x.sh");
});

test.each([
  ["import importlib.util as u\ns = u.spec_from_file_location('rule', folder + name)", /spec_from_file_location/],
  ["import asyncio\nasyncio.create_subprocess_exec('sh', folder + name)", /^hook\.py$/],
  ["from os import environ, system\nsystem('sh ' + name)", /^hook\.py$/],
  ["from importlib import import_module as load\nload('rules.' + name)", /import_module as load/],
  ["eval(compile(text, name, 'exec'))", /compile\(text/],
])("trust names what Python code loads or starts by a name that it works out: %j", async (source, what) => {
  const world = await checkoutWorld();
  await world.put("project/hook.py", `${source}\n`);
  await world.put("project/.claude/settings.json", hooksOn("Stop", "python3 hook.py"));
  const [entry] = (await reviewTrust(world.options)).entries;
  expect(entry?.notCovered.map((one) => one.what)).toContainEqual(expect.stringMatching(what));
});

test.each(["SHELL := ./lib/x.sh", "export BASH_ENV = lib/x.sh"])(
  "an approval covers the file that make runs by %j",
  async (line) => {
    const world = await checkoutWorld();
    await world.put("project/lib/x.sh", "echo x\n");
    await world.put("project/Makefile", `${line}\nall:\n\ttrue\n`);
    await world.put("project/.claude/settings.json", hooksOn("Stop", "make all"));
    const [entry] = (await reviewTrust(world.options)).entries;
    expect(entry?.files.map(({ path }) => path)).toEqual(expect.arrayContaining(["Makefile", "lib/x.sh"]));
  },
);

test("trust names what a makefile loads by load and $(file), and nothing for a plain SHELL", async () => {
  const world = await checkoutWorld();
  const named = async (text: string) => {
    await world.put("project/Makefile", text);
    const [entry] = (await reviewTrust(world.options)).entries;
    return entry?.notCovered.map((one) => one.what);
  };
  await world.put("project/.claude/settings.json", hooksOn("Stop", "make all"));
  expect(await named("load lib/x.so\n$(eval $(file <lib/x))\nall:\n\ttrue\n")).toEqual([
    "Makefile: load lib/x.so",
    "Makefile: $(file <lib/x",
  ]);
  expect(await named("SHELL := /bin/bash -eu\nall:\n\ttrue\n")).toEqual([]);
  expect(await named("all:\n\ttrue\n")).toEqual([]);
});

test("a long line of Python or JavaScript is searched without delay", async () => {
  const world = await checkoutWorld();
  await world.put("project/hook.py", "from os import ".repeat(60_000));
  await world.put("project/hook.js", 'require("a'.repeat(80_000));
  await world.put("project/.claude/settings.json", hooksOn("Stop", "python3 hook.py; node hook.js"));
  const before = process.cpuUsage();
  await reviewTrust(world.options);
  expect(process.cpuUsage(before).user).toBeLessThan(10e6);
});

test("options of ordinary programs and re.compile in Python are not named", async () => {
  const world = await checkoutWorld();
  await world.put("project/a.ts", "");
  await world.put("project/lib/hook.py", "");
  await world.put("project/hook.py", "import re, os\nre.compile('x')\nos.environ['A']\n");
  await world.put(
    "project/hook.sh",
    'grep --color=never --exclude-dir=lib --include=*.ts --include="*.ts" -e "a (b)" x\nls --time-style="+%H %M"\npython3 hook.py\n',
  );
  await world.put("project/.claude/settings.json", hooksOn("Stop", "bash hook.sh"));
  const [entry] = (await reviewTrust(world.options)).entries;
  expect([entry?.notCovered, entry?.files.map(({ path }) => path)]).toEqual([[], ["hook.py", "hook.sh"]]);
});

test("an import of a plain text is covered and not named, with options or a comment behind it too", async () => {
  const world = await checkoutWorld();
  const source =
    'import("./a.json", { with: { type: "json" } }); require("./b.js" /* rules */); (require("./c.js")).run();';
  for (const name of ["a.json", "b.js", "c.js"]) await world.put(`project/.claude/${name}`, "1");
  await world.put("project/.claude/m.mjs", source);
  await world.put("project/.claude/settings.json", hooksOn("Stop", "node .claude/m.mjs"));
  const [entry] = (await reviewTrust(world.options)).entries;
  expect(entry?.notCovered).toEqual([]);
  expect(entry?.files.map(({ path }) => path)).toEqual(
    expect.arrayContaining([".claude/a.json", ".claude/b.js", ".claude/c.js"]),
  );
});

test.each([
  [
    "more folders than are looked at",
    Array.from({ length: 70 }, (_, index) => `many/${index}`),
    "names more than 64 folders",
  ],
  ["a glob with more matches than are looked at", ["full/*"], "matches more than 2000 files"],
])("a command that names %s cannot be approved", async (_, words, why) => {
  const world = await checkoutWorld();
  for (let index = 0; index < 70; index++) await mkdir(join(world.project, `many/${index}`), { recursive: true });
  if (words[0] === "full/*") for (let index = 0; index < 2_001; index++) await world.put(`project/full/${index}`, "");
  await world.put("project/.claude/settings.json", hooksOn("Stop", `ls ${words.join(" ")}; sh x.sh`));
  const [entry] = (await reviewTrust(world.options)).entries;
  expect([entry?.digest, entry?.unusable]).toEqual([undefined, expect.stringContaining(why)]);
});

/** An app and the file it imports. */
const imports: readonly (readonly [
  name: string,
  command: string,
  files: Readonly<Record<string, string>>,
  changed: string,
])[] = [
  [
    "after cd",
    "cd .claude && hookline run hooks.ts",
    { ".claude/hooks.ts": 'import "./lib.ts";', ".claude/lib.ts": "" },
    ".claude/lib.ts",
  ],
  [
    "by createRequire",
    "hookline run .claude/hooks.mjs",
    {
      ".claude/hooks.mjs": 'import { createRequire } from "node:module";\ncreateRequire(import.meta.url)("./lib.cjs");',
      ".claude/lib.cjs": "",
    },
    ".claude/lib.cjs",
  ],
  [
    "by a function of createRequire",
    "node .claude/hooks.mjs",
    {
      ".claude/hooks.mjs":
        'import { createRequire } from "node:module";\nconst load = createRequire(import.meta.url);\nload("./lib");',
      ".claude/lib.cjs": "",
    },
    ".claude/lib.cjs",
  ],
  [
    "as a package that is a link into the checkout",
    "hookline run hooks.ts",
    {
      "hooks.ts": 'import { go } from "goer";',
      "packages/goer/package.json": '{ "name": "goer", "exports": { ".": { "import": "./src/main.js" } } }',
      "packages/goer/src/main.js": 'export * from "./deep.js";',
      "packages/goer/src/deep.js": "export const go = 1;",
    },
    "packages/goer/src/deep.js",
  ],
  [
    "by a name of package.json",
    "node hooks.mjs",
    { "hooks.mjs": 'import "#lib";', "package.json": '{ "imports": { "#lib": "./src/lib.mjs" } }', "src/lib.mjs": "" },
    "src/lib.mjs",
  ],
  [
    "with a comment before the name",
    "node hooks.mjs",
    { "hooks.mjs": 'import/* it\'s */"./lib.mjs";', "lib.mjs": "" },
    "lib.mjs",
  ],
];

test.each(imports)("an app that imports a file %s is approved with that file", async (_, command, files, file) => {
  const world = await checkoutWorld();
  for (const [path, text] of Object.entries(files)) await world.put(`project/${path}`, text);
  if (file.startsWith("packages/")) {
    await mkdir(join(world.project, "node_modules"));
    await symlink("../packages/goer", join(world.project, "node_modules/goer"));
  }
  await world.put("project/.claude/settings.json", hooksOn("Stop", command));
  expect(await approve(world)).toContain(file);
  await world.put(`project/${file}`, "evil();\n");
  expect(await fired(world)).toBe(`${file} has changed since it was approved`);
});

test("a link out of the checkout that becomes a file of it ends the approval", async () => {
  const world = await checkoutWorld();
  await world.put("outside/lib.js", "export {};\n");
  await world.put("project/.claude/hooks.mjs", 'import "./lib.js";\n');
  const link = join(world.project, ".claude/lib.js");
  await symlink(join(world.root, "outside/lib.js"), link);
  await world.put("project/.claude/settings.json", hooksOn("Stop", "hookline run .claude/hooks.mjs"));
  await approve(world);
  const [entry] = (await reviewTrust(world.options)).entries;
  expect(entry?.notCovered.map(({ what }) => what)).toContain(".claude/lib.js");
  await unlink(link);
  await world.put("project/.claude/lib.js", "evil();\n");
  expect(await fired(world)).toBe(".claude/lib.js has changed since it was approved");
});

test("a linked package that is put somewhere else ends the approval", async () => {
  const world = await checkoutWorld();
  await world.put("project/hooks.mjs", 'import "goer";\n');
  for (const name of ["goer", "other"]) {
    await world.put(`project/packages/${name}/package.json`, { name: "goer", main: "main.js" });
    await world.put(`project/packages/${name}/main.js`, "");
  }
  const link = join(world.project, "node_modules/goer");
  await mkdir(dirname(link));
  await symlink("../packages/goer", link);
  await world.put("project/.claude/settings.json", hooksOn("Stop", "node hooks.mjs"));
  await approve(world);
  await rm(link);
  await symlink("../packages/other", link);
  expect(await fired(world)).toMatch(/^packages\/(goer|other)\/.+ has changed since it was approved$/);
});

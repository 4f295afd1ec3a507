import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { compileRules, judge, type Mode, type RuleLayer } from "./internal.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "boundary-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const project = join(root, "project");
const outside = join(root, "outside.txt");
mkdirSync(join(project, ".claude"), { recursive: true });
mkdirSync(join(root, "home"));
writeFileSync(outside, "x");
writeFileSync(join(project, "in.txt"), "x");
symlinkSync(outside, join(project, "link.txt"));

const allow = ["Read", "Edit", "Write", "Bash"];

function decided(
  tool: string,
  input: object,
  permissions: object,
  more: { mode?: Mode; scope?: RuleLayer["scope"] } = {},
) {
  const layers: RuleLayer[] = [
    { scope: "user", allow },
    { scope: more.scope ?? "user", ...permissions },
  ];
  const place = { cwd: project, projectRoot: project, home: join(root, "home") };
  const { decision, reason } = judge({ tool, input }, compileRules(layers), {
    ...place,
    ...(more.mode === undefined ? {} : { mode: more.mode }),
  });
  return { decision, reason };
}

describe("blockReadsOutsideWorkingDirectories", () => {
  const block = { blockReadsOutsideWorkingDirectories: true };
  const reads = { tool: "Read", input: { file_path: outside } };

  test("refuses a file tool that reads outside, whatever rules allow", () => {
    expect(decided(reads.tool, reads.input, {}).decision).toBe("allow");
    const found = decided(reads.tool, reads.input, block);
    expect(found.decision).toBe("deny");
    expect(found.reason).toContain("permissions.blockReadsOutsideWorkingDirectories is set");
    expect(decided("Grep", { pattern: "x", path: root }, block).decision).toBe("deny");
  });

  test("refuses it in bypassPermissions and through a link, and in a project's own settings", () => {
    expect(decided(reads.tool, reads.input, block, { mode: "bypassPermissions" }).decision).toBe("deny");
    expect(decided("Read", { file_path: join(project, "link.txt") }, block).decision).toBe("deny");
    expect(decided(reads.tool, reads.input, block, { scope: "project" }).decision).toBe("deny");
  });

  test("leaves reads inside and in added directories alone", () => {
    expect(decided("Read", { file_path: join(project, "in.txt") }, block).decision).toBe("allow");
    expect(decided(reads.tool, reads.input, { ...block, additionalDirectories: [root] }).decision).toBe("allow");
  });

  test("asks about a shell command that reads outside, in every mode", () => {
    for (const mode of ["default", "acceptEdits", "bypassPermissions"] as const) {
      expect([mode, decided("Bash", { command: `cat ${outside}` }, block, { mode }).decision]).toEqual([mode, "ask"]);
    }
    expect(decided("Bash", { command: "cat in.txt" }, block).decision).toBe("allow");
  });

  test("asks about any shell command that names a path outside, or reads one that is not known", () => {
    const bash = (command: string, permissions: object = block) => decided("Bash", { command }, permissions).decision;
    const commands = [
      `ls ${root}`,
      `find ${root} -maxdepth 1`,
      "cd .. && cat outside.txt",
      `cd ${root}; ls`,
      `openssl md5 ${outside}`,
      `git -C ${root} status`,
      `python3 ${outside}`,
      `node --env-file=${outside} x.js`,
      "openssl md5 link.txt",
      "ls ~",
      "ls $HOME",
      'find "$HOME" -name x',
      `ls ${root}/*`,
      `echo ${root}/*.txt`,
      "ls ../*",
      `f=${outside}; openssl md5 $f`,
      `for f in ${root}/*; do openssl md5 $f; done`,
      `touch ${outside}`,
      `npm test | tee ${outside}`,
      `sed -i s/a/b/ ${outside}`,
      `rm ${root}/*.txt`,
      "cat $x",
      "cat $(echo /etc/passwd)",
      'cd "$x" && cat outside.txt',
      `node${Array.from({ length: 1_100 }, (_, index) => ` a${index}`).join("")} ${outside}`,
    ];
    expect(commands.filter((command) => bash(command) !== "ask")).toEqual([]);
    expect(commands.filter((command) => !command.startsWith("git") && bash(command, {}) !== "allow")).toEqual([]);
    const inside = [
      "ls",
      "ls -la src",
      "npm test",
      "git log --oneline main..HEAD",
      "cd src && ls ..",
      "npm test > /dev/null",
      `ls ${project}`,
      "npm run get -- /api/users",
      "ls src/* *.ts",
      "touch in.txt new.txt",
      "cp in.txt new.txt",
      `touch ${root}/new.txt`,
      'ls "$PWD"',
      "find . -name '*.ts' -exec cat {} +",
    ];
    expect(inside.filter((command) => bash(command) !== "allow")).toEqual([]);
  });

  test("blockReadsExemptPaths lets reads through, from --settings only", () => {
    const exempt = { ...block, blockReadsExemptPaths: [outside] };
    expect(decided(reads.tool, reads.input, exempt, { scope: "settings" }).decision).toBe("allow");
    expect(decided(reads.tool, reads.input, exempt).decision).toBe("deny");
    for (const path of ["/", "~/x", `${root}/../${root}`, ` ${outside}`, "outside.txt"]) {
      const unusable = { ...block, blockReadsExemptPaths: [path] };
      expect([path, decided(reads.tool, reads.input, unusable, { scope: "settings" }).decision]).toEqual([
        path,
        "deny",
      ]);
    }
  });
});

describe("blockWritesOutsideWorkingDirectories", () => {
  const block = { blockWritesOutsideWorkingDirectories: true };

  test("refuses a file tool that writes outside, in every mode", () => {
    for (const mode of ["default", "bypassPermissions"] as const) {
      const found = decided("Write", { file_path: join(root, "new.txt"), content: "" }, block, { mode });
      expect([mode, found.decision]).toEqual([mode, "deny"]);
      expect(found.reason).toContain("permissions.blockWritesOutsideWorkingDirectories is set");
    }
    expect(decided("Write", { file_path: join(project, "new.txt"), content: "" }, block).decision).toBe("allow");
  });

  test("refuses a settings file inside too, since that could lift it", () => {
    const settings = { file_path: join(project, ".claude/settings.json"), content: "{}" };
    expect(decided("Write", settings, block, { mode: "bypassPermissions" }).decision).toBe("deny");
  });

  test("says nothing about reads", () => {
    expect(decided("Read", { file_path: outside }, block).decision).toBe("allow");
  });
});

describe("denyInsteadOfPrompting", () => {
  const never = { denyInsteadOfPrompting: true, ask: ["Bash(git push *)"] };

  test("denies what would be asked about, with the setting as the reason", () => {
    const found = decided("Bash", { command: "git push origin" }, never);
    expect(found.decision).toBe("deny");
    expect(found.reason).toContain("permissions.denyInsteadOfPrompting is set");
    expect(decided("Bash", { command: "ls" }, never).decision).toBe("allow");
  });

  test("is ignored in settings of a project", () => {
    for (const scope of ["project", "local"] as const) {
      expect(decided("Bash", { command: "git push origin" }, never, { scope }).decision).toBe("ask");
    }
  });
});

test("disableAutoMode turns auto into default, with a warning", () => {
  const policy = compileRules([{ scope: "user", disableAutoMode: "disable" }]);
  const place = { cwd: project, projectRoot: project, home: root, mode: "auto" } as const;
  const { mode, warnings } = judge({ tool: "Bash", input: { command: "ls" } }, policy, place);
  expect([mode, warnings.map(({ code }) => code)]).toEqual(["default", ["mode-ignored"]]);
});

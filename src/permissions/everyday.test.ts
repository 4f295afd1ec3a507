import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { judge } from "./judge/judge.ts";
import { compileRules } from "./policy.ts";

interface Everyday {
  /** The commit whose decisions these are. */
  readonly commit: string;
  readonly rules: { readonly allow: readonly string[]; readonly deny: readonly string[] };
  readonly files: readonly string[];
  readonly decisions: Readonly<Record<string, "allow" | "ask" | "deny">>;
}

const fixture = new URL("../../test/fixtures/shell/everyday-decisions.json", import.meta.url);
const { rules, files, decisions }: Everyday = JSON.parse(readFileSync(fixture, "utf8"));
const mostNewQuestions = 0.05;

/** A name made by another command: what it is called is known only when it runs. */
const release = 'tar -czf "release-$(date +%F).tar.gz" dist';

let cwd: string;
beforeAll(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), "hookline-everyday-")));
  for (const file of files) {
    mkdirSync(dirname(join(cwd, file)), { recursive: true });
    writeFileSync(join(cwd, file), "x\n");
  }
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

function decide(command: string) {
  const policy = compileRules([{ scope: "user", ...rules }]);
  return judge({ tool: "Bash", input: { command } }, policy, { cwd, home: "/home/ana", projectRoot: cwd });
}

test("of 300 everyday commands at most 5 % more are asked about, none is newly denied, and the changes are these", () => {
  const commands = Object.keys(decisions);
  expect(commands.length).toBeGreaterThanOrEqual(200);
  const changed = commands.flatMap((command) => {
    const { decision, reason } = decide(command);
    return decision === decisions[command] ? [] : [`${decisions[command]} → ${decision}: ${command}: ${reason}`];
  });
  expect(changed.filter((line) => line.includes("→ deny"))).toEqual([]);
  expect(changed.filter((line) => line.includes("→ ask")).length).toBeLessThanOrEqual(
    commands.length * mostNewQuestions,
  );
  expect(changed).toEqual([
    'allow → ask: cp "$f" backup/: Read(./.env) may apply: "$f" is not known beforehand',
    `allow → ask: ${release}: ${release}: Read(./.env) may apply: "release-$(date +%F).tar.gz" is not known beforehand`,
  ]);
});

/** Judging ordinary commands, hostile texts of 64 KB, and the scan of unparsed text, 1 MB. */
import { readFileSync } from "node:fs";
import { compileRules, judge } from "../dist/permissions/index.js";
import { median } from "./statistics.mjs";

const context = { cwd: "/t/proj", home: "/home/u", projectRoot: "/t/proj", envNames: ["PATH", "HOME", "LANG"] };
const longest = 65_536;

export async function measure({ long, say }) {
  const policy = compileRules([{ scope: "user", ...rules() }]);
  return [...ordinary(policy, long), hostile(policy, long, say), net(policy)];
}

/** Fifty rules as people write them, over all three lists. */
function rules() {
  const programs =
    "git npm npx node ls cat grep rg find sed awk make cargo go docker kubectl curl jq tsc vitest eslint prettier tar diff head".split(
      " ",
    );
  return {
    allow: [
      ...programs.map((name) => `Bash(${name} *)`),
      "Edit(./src/**)",
      "Edit(*.md)",
      "Read(//usr/share/**)",
      "WebFetch(domain:*.example.com)",
      "mcp__docs__*",
    ],
    ask: [
      "Bash(git push *)",
      "Bash(npm publish *)",
      "Bash(docker run *)",
      "Bash(* --force)",
      "Edit(package.json)",
      "Bash(kubectl delete *)",
      "Bash(git reset *)",
    ],
    deny: [
      "Bash(rm -rf *)",
      "Bash(sudo *)",
      "Bash(curl * | sh)",
      "Read(.env)",
      "Read(./secrets/**)",
      "Edit(.github/**)",
      "Bash(git push * main)",
      "Bash(chmod 777 *)",
      "Bash(dd *)",
      "Bash(*mkfs*)",
      "Read(~/.ssh/**)",
      "WebFetch(domain:evil.com)",
      "Bash(shutdown *)",
    ],
  };
}

/** A command's time is the median of its rounds, so that a single garbage collection does not count; percentiles are over the corpus. */
function ordinary(policy, long) {
  const file = new URL("../test/fixtures/shell/ordinary.json", import.meta.url);
  const commands = JSON.parse(readFileSync(file, "utf8"));
  const rounds = commands.map(() => []);
  const onTheClock = [];
  for (let round = 0; round < (long ? 600 : 240); round++) {
    commands.forEach((command, index) => {
      const begun = performance.now();
      const took = cpuOf(() => judge({ tool: "Bash", input: { command } }, policy, context));
      const waited = performance.now() - begun;
      // The first rounds are the compiler's.
      if (round < 100) return;
      rounds[index].push(took);
      onTheClock.push(waited);
    });
  }
  const times = rounds.map(median).sort((a, b) => a - b);
  const at = (part) => times[Math.floor(times.length * part)];
  const row = (name, part, budget) => ({
    name: `ordinary command, 50 rules, ${name}`,
    budget: `< ${budget} ms of CPU`,
    figure: `${at(part).toFixed(3)} ms`,
    share: at(part) / budget,
  });
  const slow = onTheClock.sort((a, b) => a - b)[Math.floor(onTheClock.length * 0.99)];
  const calls = {
    name: "the same, p99 of all calls on the clock",
    budget: "< 1 ms",
    figure: `${slow.toFixed(3)} ms`,
    share: slow / 1,
  };
  return [row("p50", 0.5, 0.1), row("p99", 0.99, 1), calls];
}

/**
 * Each text by itself in CPU time, as other programs share the machine. A text that takes more than half of the budget is judged three
 * times and the median counts: the collector's threads add up to 100 ms of CPU to any call they meet.
 */
function hostile(policy, long, say) {
  const texts = [...pairs(long), ...nested(), ...unclosed()];
  say(`${texts.length} hostile texts`);
  let worst = { took: 0, text: "" };
  for (const command of texts) {
    const once = () => cpuOf(() => judge({ tool: "Bash", input: { command } }, policy, context));
    const first = once();
    const took = first > 125 ? median([first, once(), once()]) : first;
    if (took > worst.took) worst = { took, text: command.slice(0, 16) };
  }
  return {
    name: `the worst of ${texts.length} hostile texts of 64 KB`,
    budget: "< 250 ms of CPU",
    figure: `${worst.took.toFixed(0)} ms (${JSON.stringify(worst.text)})`,
    share: worst.took / 250,
  };
}

const tokens = [
  ...[
    ";",
    "&",
    "|",
    "&&",
    "||",
    "\n",
    " ",
    "\t",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "[[",
    "]]",
    "((",
    "))",
    "$(",
    "${",
    "$((",
    "$[",
    "`",
    "<(",
    ">(",
  ],
  ...[
    "<",
    ">",
    "<<E\n",
    "<<<",
    ">&",
    "'",
    '"',
    "\\",
    "$'",
    "$",
    "#",
    "!",
    "*",
    "?",
    "~",
    "=",
    "a",
    "-x",
    "rm ",
    "if ",
    "for ",
    "case ",
    "a=(",
    "x=",
    ",",
  ],
];

function pairs(long) {
  const all = tokens.flatMap((first) => tokens.map((second) => repeat(first + second)));
  return long ? all : all.filter((_, index) => index % 11 === 0);
}

function nested() {
  const openers = [
    "(",
    "{ ",
    "$(",
    '"$(',
    "`",
    "${x:-",
    "$((",
    "[[ ( ",
    "if ",
    "while ",
    "case a in a) ",
    "<(",
    "a[",
    "sudo ",
    "bash -c '",
    "eval ",
    "env ",
    "! ",
    "time ",
  ];
  return openers.flatMap((opener) => [repeat(opener), `${opener.repeat(30)}${repeat("a ")}`.slice(0, longest)]);
}

function unclosed() {
  return ["'", '"', "`", "$'", '$"', "${", "$(", "<<E\n", "((", "[["].flatMap((opener) => [
    opener + "a".repeat(longest - 8),
    opener + repeat("a; ").slice(8),
    repeat("ls ").slice(8) + opener,
    repeat(`${opener} a `),
  ]);
}

function repeat(text) {
  return text.repeat(Math.ceil(longest / text.length)).slice(0, longest);
}

function net(policy) {
  const words = Array.from({ length: 170_000 }, (_, index) => `w${(index * 7_919) % 90_000}`);
  const command = `${words.join(" ")} $'x' mkf`.slice(0, 1_048_576);
  const worst = Math.max(
    ...[
      command,
      `${"rm -rf ".repeat(150_000)}`,
      "a".repeat(1_048_576),
      "; ".repeat(524_288),
      "'\"\\".repeat(349_525),
    ].map((text) => cpuOf(() => judge({ tool: "Bash", input: { command: text } }, policy, context))),
  );
  return {
    name: "the scan of unparsed text, 1 MB",
    budget: "< 250 ms of CPU",
    figure: `${worst.toFixed(0)} ms`,
    share: worst / 250,
  };
}

function cpuOf(work) {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

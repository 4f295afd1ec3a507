/**
 * Finds phrases that make a reader stop, in text that people read: docs, messages, comments, test names. Part of `npm run check`.
 * Phrases only, never single common words. A phrase may run over the end of a line. `node scripts/check-words.mjs src/engine` checks
 * one folder.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Each phrase with what to write instead. A blank also matches the end of a line of a comment or paragraph. */
const phrases = [
  [
    "(?<!there )is no (?:JSON|UUID|object|file|folder|directory|time|event|answer|text|number|commit|entry|id|session|script|hook|format|mode|field|tool|type|function|array|list|string|URL|permission|message|path|test|socket|project|worktree)",
    "is not a …, is not valid …",
  ],
  ["(?:which|that|what) (?:is|are) no(?! (?:longer|more|different))", "that is not …"],
  ["unless told", "by default"],
  [
    "nobody (?:is there|can|could|waits|knows|listens|has|checks|answers|asked|reads|else)",
    "no user to ask; unknown; not …",
  ],
  ["(?:holds?|held|harms|disturbs|fails|tells) nobody", "does not block, does not affect"],
  ["whoever", "the caller, any process, anyone who"],
  ["(?:is|are|was|were|be) told", "is reported, is logged"],
  ["told (?:as|of|right|once|apart|so)", "reported as, mentioned"],
  ["(?:without|not) a word", "silently; with no output"],
  ["one word too many", "unexpected argument"],
  ["takes no words", "takes no arguments"],
  ["stands? (?:in|there|beside|behind|between|here|still|where)", "is in, appears, is next to"],
  ["(?:lies|lie|lay) (?:in|there|where|outside|inside|beside|below|apart|between)", "is in, is outside"],
  ["where (?:it|they|things|settings|files) lies?", "where … is"],
  ["beside (?:it|them|that|those|the|its|other|our|us|each|one|others|these)", "next to; in addition to"],
  ["goes on", "continues, is resumed"],
  ["go(?:es)? on (?:with|when|in|by|from|working|as|if|after|behind|without|and|where)", "continues, resumes"],
  ["(?:mend(?:ed|ing)?|mends (?:a|an|the|what|it|them))", "fix, repair"],
  ["the person(?:'s)?", "the user"],
  ["(?:has|is|are) gone", "no longer exists, was removed, has exited"],
  ["(?:is|are|was|were) not there", "does not exist, is missing"],
  ["not there any more", "no longer exists"],
  ["g(?:ave|ives) no (?:answer|reason|path|object|summary|result|hooks|JSON|input)", "did not answer, returned no …"],
  ["cannot (?:both )?be meant", "cannot be used together"],
  ["cannot be had", "is not available"],
  ["(?:is|are|was) given up", "is aborted"],
  ["(?:set aside|moved aside|anew)", "discarded; rebuilt; again"],
  ["all the same", "still, anyway"],
  ["for ever", "forever, indefinitely"],
  ["(?:a look at|at a look|looks? anew)", "checks, inspects"],
  ["(?:says|said|say) so", "reports it"],
  ["without further ado", "automatically"],
  ["(?:by|in|on|of|through|at) (?:a|the|its|one|each|every|this|that|another) doors?", "entry point"],
  ["(?:is|are) lent", "is given, gets"],
  ["made good", "repaired, recovered"],
  ["how things stand", "status"],
  ["(?:hears?|heard) of", "is notified of, learns about"],
  ["as it stands", "unchanged, as it is"],
  ["of ours any more", "no longer has Hookline's …"],
  ["makes it good", "fixes it"],
  ["is no escape", "nothing escapes by …"],
  ["a person's own", "a user's own"],
  ["cannot be relied on", "is not safe to use, is invalid"],
  ["did not end well", "failed"],
  ["(?:EN|SD|HO|SE|PE|US|DR|EV|TR|ST|AD)-\\d+", "the sentence itself; requirement numbers are not in this repository"],
];

/** What is held to the list. */
const everything = [
  "src",
  "test",
  "scripts",
  "bench",
  "client",
  "docs",
  "examples",
  "conformance/README.md",
  ".github",
  "*.md",
];
const exempt = /^(?:scripts\/check-words\.mjs|test\/fixtures\/|.*\/fixtures\/)/;

const root = fileURLToPath(new URL("..", import.meta.url));
const places = process.argv.length > 2 ? process.argv.slice(2) : everything;
const files = execFileSync("git", ["ls-files", "--", ...places], { cwd: root, encoding: "utf8" })
  .split("\n")
  .filter((file) => /\.(?:md|ts|mjs|cjs|c|h|yml|bash|sh)$|^client\/[\w-]+$/.test(file) && !exempt.test(file))
  // Git also lists files that were deleted since the last commit.
  .filter((file) => existsSync(`${root}/${file}`));
const expressions = phrases.map(([phrase, write]) => {
  const blanks = phrase.replaceAll(" ", "(?:\\s+(?:\\*|//|#)?\\s*)");
  return [new RegExp(`\\b(?:${blanks})(?![\\w-])`, "gi"), write];
});

let found = 0;
for (const file of files) {
  const text = withoutCode(file, readFileSync(`${root}/${file}`, "utf8"));
  for (const [expression, write] of expressions) {
    for (const match of text.matchAll(expression)) {
      found += 1;
      const line = text.slice(0, match.index).split("\n").length;
      process.stdout.write(`${file}:${line} "${match[0].replace(/\s+/g, " ")}": write ${write}\n`);
    }
  }
}
process.stdout.write(found === 0 ? `${files.length} files, no phrase of the list\n` : `${found} phrases to rewrite\n`);
process.exit(found === 0 ? 0 : 1);

/** Blocks of code in a page show what programs print; they are checked where that text is written. */
function withoutCode(file, text) {
  if (!file.endsWith(".md")) return text;
  return text.replace(/^```[\s\S]*?^```/gm, (block) => block.replace(/[^\n]/g, " "));
}

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { seeded } from "./random.mjs";

/**
 * Puts the keys of every line, and those of its message and usage, into an order of chance, as a program that writes
 * transcripts again might. What the lines say stays the same, so the truth does, too; a torn line stays as it is.
 */
export function shuffleCorpus({ out, seed }) {
  const random = seeded(seed);
  rewriteLines(out, (entry) => {
    const { message } = entry;
    if (isObject(message)) {
      const usage = isObject(message.usage) ? { usage: shuffled(message.usage, random) } : {};
      entry.message = shuffled({ ...message, ...usage }, random);
    }
    return shuffled(entry, random);
  });
}

/** Puts the message of every line first, and its type last. */
export function messageFirst({ out }) {
  rewriteLines(out, ({ message, type, ...entry }) =>
    message === undefined ? { ...entry, type } : { message, ...entry, type },
  );
}

function rewriteLines(out, rewrite) {
  const projects = join(out, "projects");
  for (const name of readdirSync(projects, { recursive: true })) {
    if (!name.endsWith(".jsonl")) continue;
    const path = join(projects, name);
    const lines = readFileSync(path, "utf8").split("\n");
    writeFileSync(path, lines.map((line) => rewritten(line, rewrite)).join("\n"));
  }
}

function rewritten(line, rewrite) {
  let entry;
  try {
    entry = JSON.parse(line);
  } catch {
    // Torn on purpose, or the nothing after the last newline.
    return line;
  }
  return isObject(entry) ? JSON.stringify(rewrite(entry)) : line;
}

function shuffled(object, random) {
  const entries = Object.entries(object);
  for (let last = entries.length - 1; last > 0; last--) {
    const other = random.below(last + 1);
    [entries[last], entries[other]] = [entries[other], entries[last]];
  }
  return Object.fromEntries(entries);
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

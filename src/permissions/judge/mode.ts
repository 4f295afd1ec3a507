export type Answer = "allow" | "ask" | "deny";

/** What a part does, as far as modes tell things apart. "Inside" is the working directory, the project and added directories. */
export type Deed =
  | "read-inside"
  | "read-outside"
  | "edit-inside"
  | "edit-outside"
  | "shell-write-inside"
  | "other"
  | "protected"
  | "own-file"
  | "asked";

/** How a call is settled when no rule decided. */
export type Mode = (typeof columns)[number] | "auto";

const columns = ["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions"] as const;

const table: Readonly<Record<Deed, readonly [Answer, Answer, Answer, Answer, Answer]>> = {
  "read-inside": ["allow", "allow", "allow", "allow", "allow"],
  "read-outside": ["ask", "ask", "ask", "deny", "allow"],
  "edit-inside": ["ask", "allow", "deny", "deny", "allow"],
  "edit-outside": ["ask", "ask", "deny", "deny", "allow"],
  "shell-write-inside": ["ask", "allow", "ask", "deny", "allow"],
  other: ["ask", "ask", "ask", "deny", "allow"],
  protected: ["ask", "ask", "deny", "deny", "allow"],
  "own-file": ["ask", "ask", "deny", "deny", "ask"],
  /** A matched ask rule, a critical removal, and what may be neither allowed nor bypassed. */
  asked: ["ask", "ask", "ask", "deny", "ask"],
};

export function answerOf(mode: Mode, deed: Deed): Answer {
  // `auto` asks where `default` asks; the host lets its classifier answer.
  const column = mode === "auto" ? 0 : columns.indexOf(mode);
  return table[deed][column] ?? "ask";
}

/** The mode a word names; undefined for one that nobody knows. */
export function readMode(word: unknown): Mode | undefined {
  if (word === "manual") return "default";
  return word === "auto" ? word : columns.find((mode) => mode === word);
}

/**
 * What became of an event, as someone outside could tell: the same words for Claude Code and for Hookline.
 * What did not happen is left out, so that a case shows only what it is about.
 */
export interface Facts {
  /** The operation went on as planned: the tool ran, the prompt was sent, the turn ended at once, … */
  readonly went: boolean;
  /** The hooks' words about a refusal, or as feedback. */
  readonly reason?: string;
  /** A hook ended the agent's run. */
  readonly stopped?: true;
  /** The call was put off to a later run. */
  readonly deferred?: true;
  /** Whether the user was asked. */
  readonly asked?: true;
  /** How often the model was called for one turn; where a hook can make it go on. */
  readonly rounds?: number;
  /** Marks left by the hooks that ran, in alphabetical order. */
  readonly ran?: readonly string[];
  /** Files made in the project, with their content. */
  readonly made?: Readonly<Record<string, string>>;
  /** The texts of the case that the model received, in order of appearance. */
  readonly told?: readonly string[];
  /** The texts of the case that the user received. */
  readonly shown?: readonly string[];
}

/** What one side saw, before texts and files are boiled down. */
export interface Sight extends Pick<Facts, "went" | "stopped" | "deferred" | "asked" | "rounds"> {
  readonly reason?: string | undefined;
  /** Every text that the model was given. */
  readonly model: readonly string[];
  /** Every text for the user. */
  readonly user: readonly string[];
}

/** The file to which a hook of a case adds its mark. */
export const marksFile = "ran.log";

export function factsOf(
  sight: Sight,
  words: readonly string[],
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
  requested: readonly string[],
): Facts {
  const ran = [...(after[marksFile] ?? "").split("\n").filter((mark) => mark !== ""), ...requested].sort();
  const made = Object.entries(after).filter(([name, text]) => name !== marksFile && before[name] !== text);
  const told = wordsIn(sight.model, words);
  const shown = wordsIn(sight.user, words);
  return {
    went: sight.went,
    ...(sight.reason === undefined ? {} : { reason: worded(sight.reason.trim()) }),
    ...(sight.stopped ? { stopped: true } : {}),
    ...(sight.deferred ? { deferred: true } : {}),
    ...(sight.asked ? { asked: true } : {}),
    ...(sight.rounds === undefined ? {} : { rounds: sight.rounds }),
    ...(ran.length > 0 ? { ran } : {}),
    ...(made.length > 0 ? { made: Object.fromEntries(made) } : {}),
    ...(told.length > 0 ? { told } : {}),
    ...(shown.length > 0 ? { shown } : {}),
  };
}

/** A hook that blocks without a reason gets a stock one. That there is one counts, not how each side puts it. */
function worded(reason: string): string {
  return /^(Blocked by hook|Hook [\w:]+ denied this (operation|tool))$/.test(reason) ? "(stock)" : reason;
}

export function wordsIn(texts: readonly string[], words: readonly string[]): string[] {
  const all = texts.join("\n");
  return words.filter((word) => all.includes(word)).sort((a, b) => all.indexOf(a) - all.indexOf(b));
}

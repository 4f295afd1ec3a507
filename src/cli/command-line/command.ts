/** A command: texts for --help, its options, and a function that runs it. */
export interface Command {
  /** What follows `hookline NAME`, e.g. `EVENT [--input FILE|-]`. */
  readonly usage: string;
  /** What the command does, in one or more sentences. */
  readonly about: string;
  /** How many operands it takes. Default: none. */
  readonly mostArguments?: 1 | "any";
  readonly options: Readonly<Record<string, OptionSpec>>;
  /** Other names of options, which help does not show. With `agents: "by=subagent"`, `--agents` means `--by subagent`. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Lines that a reader can paste; at least one. */
  readonly examples: readonly string[];
  /** Resolves with the exit status. Throws only a `Problem`, which main prints on stderr before it exits with status 1. */
  run(call: ParsedCall, io: Io): Promise<number>;
}

/** A command with commands of its own: `hookline NAME VERB …`. Only the verb that is called is loaded. */
export interface CommandGroup {
  readonly about: string;
  readonly verbs: Readonly<
    Record<string, { readonly summary: string; readonly load: () => Promise<{ command: Command }> }>
  >;
}

export interface OptionSpec {
  readonly about: string;
  /** The name of the value in --help, e.g. `FILE`. An option without one is a flag. */
  readonly value?: string;
  readonly short?: string;
  readonly multiple?: boolean;
  /** Accepted, but not in the help. */
  readonly hidden?: true;
  /** Options that cannot be used together with this one. */
  readonly excludes?: readonly string[];
  /** What must be given with this one: `option` or `option=value`. */
  readonly requires?: string;
}

/** The parsed arguments of a call. Reading an option that the command does not declare throws. */
export interface ParsedCall {
  /** The arguments that are not options. */
  readonly operands: readonly string[];
  flag(name: string): boolean;
  text(name: string): string | undefined;
  texts(name: string): readonly string[];
}

/** Everything outside the program that a command uses. Tests pass their own. */
export interface Io {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean; destroy?(error?: Error): unknown };
  /** Resolves when the text is written. A closed pipe (EPIPE) ends the command silently. */
  out(text: string): Promise<void>;
  err(text: string): Promise<void>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  /** Colors and progress are for a terminal only; `NO_COLOR` turns colors off. */
  readonly terminal: {
    readonly out: boolean;
    readonly err: boolean;
    readonly colour: boolean;
    /** The width of standard output; infinite when it is not a terminal. */
    readonly columns: number;
  };
  /** Aborted by the first SIGINT, SIGTERM or SIGHUP. */
  readonly signal: AbortSignal;
}

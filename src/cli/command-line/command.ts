/** What a command is: words for --help, options, and a function from a parsed call to an exit status. */
export interface Command {
  /** What follows `hookline NAME`, e.g. `EVENT [--input FILE|-]`. */
  readonly usage: string;
  /** One or more sentences; the first line also stands in the list of commands. */
  readonly about: string;
  /** How many arguments it takes beside options; any number when omitted. */
  readonly mostArguments?: 0 | 1;
  readonly options: Readonly<Record<string, Option>>;
  /** Whole lines a reader can paste; at least one. */
  readonly examples: readonly string[];
  /** Contract: resolves with the exit status; throws only a `Problem`, which main prints as one line on stderr with status 1. */
  run(call: Call, io: Io): Promise<number>;
}

export interface Option {
  readonly type: "string" | "boolean";
  readonly about: string;
  /** How the value is called in --help, e.g. `FILE`. */
  readonly value?: string;
  readonly short?: string;
  readonly multiple?: boolean;
  /** Options that cannot be used together with this one. */
  readonly excludes?: readonly string[];
  /** Another name of an option, which help does not show. A flag may stand for a value of that option. */
  readonly aliasOf?: { readonly option: string; readonly value?: string };
}

/** One parsed call. Readers fail loudly on a name the command did not declare. */
export interface Call {
  readonly words: readonly string[];
  flag(name: string): boolean;
  text(name: string): string | undefined;
  texts(name: string): readonly string[];
}

/** Everything of the outside world a command may touch, so that tests can hand it another one. */
export interface Io {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean; destroy?(error?: Error): unknown };
  /** Contract: resolves once the text is handed over; a reader that went away (EPIPE) ends the command quietly. */
  out(text: string): Promise<void>;
  err(text: string): Promise<void>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  /** Colours and progress are for a terminal only; `NO_COLOR` switches colours off. */
  readonly terminal: {
    readonly out: boolean;
    readonly err: boolean;
    readonly colour: boolean;
    readonly columns: number;
  };
  /** Aborted by the first Ctrl-C or TERM. */
  readonly signal: AbortSignal;
}

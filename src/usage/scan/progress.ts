import { nothingTold, type Told } from "./file-facts.ts";

/** How far a file has been read, and what was found on the way beside its calls. Plain data: it is kept between runs. */
export interface Progress {
  /** One past the last newline that was read. */
  offset: number;
  lines: number;
  readonly told: Told;
  /** Lines that hold no record, or not a whole one. */
  unreadable: number;
  readonly unreadablePlaces: UnreadablePlace[];
  /** Lines that took a real JSON parser. */
  fallback: number;
}

export interface UnreadablePlace {
  readonly line: number;
  readonly offset: number;
  readonly why: string;
}

export function startOfFile(): Progress {
  return { offset: 0, lines: 0, told: nothingTold(), unreadable: 0, unreadablePlaces: [], fallback: 0 };
}

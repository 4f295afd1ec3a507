/** What a search is for. */
export interface SearchWish {
  readonly pattern: string;
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly mode: "content" | "files_with_matches" | "count";
  readonly before: number;
  readonly after: number;
  readonly onlyMatching: boolean;
  /** Names to keep; `!` in front takes them out. */
  readonly globs: readonly string[];
  readonly type?: string;
}

/** One line of an answer. A gap stands between groups of lines that do not touch. */
export type Hit =
  | { readonly path: string; readonly line: number; readonly text: string; readonly matched: boolean }
  | { readonly path: string; readonly count: number }
  | { readonly path: string }
  | { readonly gap: true };

export type SearchAnswer = { readonly hits: readonly Hit[] } | { readonly error: string };

export const longLine = "[Omitted long matching line]";
export const longContext = "[Omitted long context line]";
export const longestLine = 500;

/** Positions of the 64-bit numbers in a row of the table of calls, counted from the start of the row. See row-words.ts. */

/** Prompt counts, which rows of one kind have in common. */
export const input = 0;
export const cacheWrite5m = 1;
export const cacheWrite1h = 2;
export const cacheRead = 3;
/** From the first line of the row. */
export const at = 4;
export const offset = 5;
/** From the best line of the row. */
export const output = 6;
export const thinking = 7;
export const webSearches = 8;
export const prompt = 9;
export const assumed5m = 10;
export const written = 11;

export const size = 18;

/**
 * Positions of the 32-bit words in a row of the table of calls, counted from the start of the row. The kernel and TypeScript share them.
 * A row is 18 figures of 8 bytes long (row-figures.ts); words follow the first 12.
 */

/** Words that rows of one kind have in common. */
export const file = 24;
export const keyA = 25;
export const keyB = 26;
export const requestA = 27;
export const requestB = 28;
export const rank = 29;
/** From the first line of the row. */
export const agent = 30;
/** The next row with an equal hash; 0xffffffff after the last. */
export const next = 31;
/** From the best line of the row. */
export const marks = 32;
export const odd = 33;
export const model = 34;

export const size = 36;

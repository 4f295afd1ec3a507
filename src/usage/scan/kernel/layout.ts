/**
 * What the kernel and its caller agree on. The kernel compiles this file as AssemblyScript and the scanner as TypeScript, so each
 * number exists once.
 */

/** What `run` returns. */
export const eventDone = 0;
/** The results hold an answer of the model. */
export const eventAnswer = 1;
/** A progress line of an older client: it may hold a copy of an answer. */
export const eventProgress = 2;
/** A prompt in a main transcript that begins with a letter, so it is no command or notice of the client. */
export const eventPrompt = 3;
/** The line needs a JSON parser. */
export const eventParse = 4;

/** Results begin at address 0 with words of four bytes. The caller sets the first two, and `wordNext` and `wordLines` at the start. */
export const wordIsMain = 0;
export const wordParseAll = 1;
/** Where the next line begins. */
export const wordNext = 2;
/** How many lines were read, empty ones included. */
export const wordLines = 3;
/** The line that was read last. */
export const wordLineFrom = 4;
export const wordLineTo = 5;
/** The marks of an answer, as bits. */
export const wordMarks = 6;
export const markSidechain = 1;
export const markStopped = 2;
export const markFast = 4;
export const markBatch = 8;
export const markUs = 16;

/**
 * Fields of an answer. The value of each is at 8 × its number. A text is two words, where it begins and where it ends, both 0 when
 * there is none; the first ones are ASCII without escapes, from `fieldCwd` on they may hold anything. A count is a number of eight bytes.
 */
export const fieldId = 4;
export const fieldModel = 5;
export const fieldRequest = 6;
export const fieldAgent = 7;
export const fieldTime = 8;
export const fieldCwd = 9;
export const fieldSession = 10;
export const fieldAgentType = 11;
export const fieldParentSession = 12;
export const fieldForkSource = 13;
export const fieldInput = 14;
export const fieldOutput = 15;
export const fieldCacheRead = 16;
export const fieldWritten = 17;
export const fieldWritten5m = 18;
export const fieldWritten1h = 19;
export const fieldSearches = 20;
export const fieldThinking = 21;

export const resultsEnd = 176;

/** Where the bytes of a file begin, behind the results and the constants of the kernel. */
export const chunkStart = 8192;
/** Room behind the last byte of a file: the kernel reads sixteen bytes at a time, and looks at most this far ahead. */
export const roomBehind = 64;

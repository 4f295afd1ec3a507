/**
 * What the kernel and its caller agree on. The kernel compiles this file as AssemblyScript and the scanner as TypeScript, so each
 * number exists once.
 */

/** What `run` returns. */
export const eventDone = 0;
/** An answer of the model is in the table of calls, and its line tells something new about the session. */
export const eventAnswer = 1;
/** A prompt in a main transcript that begins with a letter, so it is not a command or notice of Claude Code. */
export const eventPrompt = 2;
/** The line needs a JSON parser. */
export const eventParse = 3;
/** An answer names a model or agent whose number is missing. `run` reads its line again. */
export const eventName = 4;

/** What `findRow` returns other than the row that the candidate is better than. */
export const rowMissing = -1;
export const rowKept = -2;

/** Results begin at address 0 with words of four bytes. Where the next line begins: */
export const wordNext = 0;
/** How many lines were read, empty ones included. */
export const wordLines = 1;
/** The line that was read last. */
export const wordLineFrom = 2;
export const wordLineTo = 3;
/** The marks of an answer, as bits. The first ones are those of a row in the table of calls. */
export const wordMarks = 4;
export const markStopped = 1;
export const markFast = 2;
export const markBatch = 4;
export const markUs = 8;
export const markSidechain = 64;

/**
 * Fields of an answer. The value of each is at 8 × its number. A text is two words, where it begins and where it ends, both 0 when
 * there is none; the first ones are ASCII without escapes, those about the session may contain anything. A count is a number of eight
 * bytes.
 */
export const fieldId = 4;
export const fieldModel = 5;
export const fieldRequest = 6;
export const fieldAgent = 7;
export const fieldTime = 8;
/** Of an answer that is copied into a progress line of an older version of Claude Code. */
export const fieldDataAgent = 9;
export const fieldCopyAgent = 10;
export const fieldCopyTime = 11;
/** About the session. */
export const fieldCwd = 12;
export const fieldSession = 13;
export const fieldAgentType = 14;
export const fieldParentSession = 15;
export const fieldForkSource = 16;
/** Counts. */
export const fieldInput = 17;
export const fieldOutput = 18;
export const fieldCacheRead = 19;
export const fieldWritten = 20;
export const fieldWritten5m = 21;
export const fieldWritten1h = 22;
export const fieldSearches = 23;
export const fieldThinking = 24;

export const resultsEnd = 200;

/** The caller sets these for each file: whether it is a main transcript, and whether every line goes to a JSON parser. */
export const wordIsMain = 50;
export const wordParseAll = 51;
/** The number of the file, and that of the agent of calls whose line names none. */
export const wordFile = 52;
export const wordAgent = 53;
/** Whether a command waits for its answer. */
export const wordIsPending = 54;
/** One bit per field that says something about the session which is not known yet. */
export const wordMissingFacts = 55;
/** For `eventName`: the field of the name, and the word that its number goes to. */
export const wordNameField = 56;
export const wordNameSlot = 57;
/** The table of calls: its address, that of its rows, how many there are, and how many fit. */
export const wordTable = 58;
export const wordRows = 59;
export const wordRowCount = 60;
export const wordRowRoom = 61;
/** Add it to an address to get the position in the file. */
export const fileOffset = 248;
/** The hash of the session's sources in the last line that has any. */
export const knownParents = 256;
/** A row outside the table. */
export const candidate = 264;
/** Numbers of names by hash, sixteen bytes each. */
export const modelNames = 512;
export const agentNames = 768;
export const namesKept = 16;

/** Where the bytes of a file begin, after the results and the constants of the kernel. */
export const chunkStart = 8192;
/** Room after the last byte of a file: the kernel reads ahead at most this far. */
export const roomBehind = 64;

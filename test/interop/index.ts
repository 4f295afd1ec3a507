/** Claude Code, headless, against a scripted model: everything a test needs to see what it does. README.md shows how. */
export { type ClientCall, type ClientRun, runClient } from "./client.ts";
export type { PermissionQuestion, PutQuestion, ScriptedUser } from "./converse.ts";
export { type Client, findClient } from "./install.ts";
export type { HookRun, ResultLine, StreamLine } from "./stream.ts";
export { type Attachment, type Entry, readTranscript } from "./transcript.ts";
export { claudeCodeVersion } from "./versions.ts";
export { filesIn, makeWorld, type World, writeFiles } from "./world.ts";

// A strategy for work over many sessions: each begins with the notes of the last, and none ends without notes of its own.
// app.include(longRunning({ notes: "PROGRESS.md" }));
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { block, context, defineStrategy } from "hookline/sdk";

export interface LongRunningOptions {
  /** Where the agent keeps its notes, relative to the project. */
  readonly notes: string;
  /** How much of their end a session is given. */
  readonly characters: number;
}

export const longRunning = defineStrategy<LongRunningOptions>({
  name: "long-running",
  version: "1.0.0",
  description: "Notes carry the work from one session to the next.",
  hooks: ["SessionStart", "PostToolUse", "PreCompact", "Stop"],
  customEvents: ["resumed"],
  defaults: { notes: "PROGRESS.md", characters: 6_000 },
  options: { notes: "string", characters: "number" },
  build(plan, { notes, characters }) {
    plan.onSessionStart({ name: "hand-over" }, (_event, { path, emit }) => {
      const text = statSync(path(notes), { throwIfNoEntry: false }) ? readFileSync(path(notes), "utf8").trim() : "";
      if (text === "")
        return context(`This work takes many sessions. Plan it, and keep notes for the next one in ${notes}.`);
      emit("resumed", { characters: text.length });
      return context(`You continue earlier work. The notes in ${notes} end with:\n${text.slice(-characters)}`);
    });
    plan.postTool(["Write", "Edit", "MultiEdit"], { name: "note-edits" }, async ({ input }, { state, path, cwd }) => {
      if (resolve(cwd, input.file_path) !== path(notes)) await state.set("editedAt", Date.now());
    });
    plan.onPreCompact({ name: "before-forgetting" }, () =>
      context(`Keep what is decided, what is open and what failed; it belongs in ${notes}.`),
    );
    plan.onStop({ name: "leave-notes" }, async ({ stopHookActive }, { state, path }) => {
      const editedAt: number | undefined = await state.get("editedAt");
      if (stopHookActive || editedAt === undefined) return undefined;
      const writtenAt = statSync(path(notes), { throwIfNoEntry: false })?.mtimeMs ?? 0;
      return writtenAt >= editedAt
        ? undefined
        : block(`Write into ${notes} what you did and what comes next, then stop.`);
    });
  },
});

import type { CommandGroup } from "../command-line/command.ts";

export const group: CommandGroup = {
  about: `Reads agent transcripts in place, and archives them. Only repair with --in-place, --to or --rollback changes a transcript.

SESSION is an id, the beginning of an id (4 characters or more), "last" (the newest session of this directory) or the path of a
transcript.`,
  verbs: {
    ls: { summary: "List sessions, newest first", load: () => import("./sessions/ls.ts") },
    show: { summary: "Show a session turn by turn", load: () => import("./sessions/show.ts") },
    tree: { summary: "Show turns, subagents and branches of a session", load: () => import("./sessions/tree.ts") },
    live: { summary: "List running sessions", load: () => import("./sessions/live.ts") },
    search: { summary: "Search prompts, answers, titles and tool calls", load: () => import("./sessions/search.ts") },
    export: { summary: "Export a session as Markdown, HTML or JSON", load: () => import("./sessions/export.ts") },
    validate: { summary: "Check a transcript for errors", load: () => import("./sessions/validate.ts") },
    repair: { summary: "Repair a damaged transcript", load: () => import("./sessions/repair.ts") },
    fork: { summary: "Copy a session into a new one", load: () => import("./sessions/fork.ts") },
    archive: {
      summary: "Archive sessions before Claude Code deletes them",
      load: () => import("./sessions/archive.ts"),
    },
  },
};

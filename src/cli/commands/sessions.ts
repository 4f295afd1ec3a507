import type { CommandGroup } from "../main.ts";

export const group: CommandGroup = {
  about: `Reads transcripts of agents where they lie, and keeps them. Nothing here changes a transcript, except repair with
--in-place, --to or --rollback.

SESSION is an id, the beginning of one (4 characters or more), "last" (the newest of this directory) or the path of a transcript.`,
  verbs: {
    ls: { summary: "sessions, newest first", load: () => import("./sessions/ls.ts") },
    show: { summary: "one session, turn by turn", load: () => import("./sessions/show.ts") },
    tree: { summary: "turns, subagents and branches of one session", load: () => import("./sessions/tree.ts") },
    live: { summary: "sessions that run now", load: () => import("./sessions/live.ts") },
    search: { summary: "find words in prompts, answers, titles and tools", load: () => import("./sessions/search.ts") },
    export: { summary: "one session as Markdown, HTML or JSON", load: () => import("./sessions/export.ts") },
    validate: { summary: "what is wrong with a transcript", load: () => import("./sessions/validate.ts") },
    repair: { summary: "mend a damaged transcript", load: () => import("./sessions/repair.ts") },
    fork: { summary: "begin a new session as another one went", load: () => import("./sessions/fork.ts") },
    archive: { summary: "keep sessions before their client deletes them", load: () => import("./sessions/archive.ts") },
  },
};

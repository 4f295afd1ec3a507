import type { RowFacts } from "./event-row.ts";

export const cwdChanged = {
  name: "CwdChanged",
  phase: "settings",
  fires: "the working directory changed; before that call's PostToolUse",
  fields: {
    old_cwd: { is: "text" },
    new_cwd: { is: "text" },
  },
  answers: ["watchPaths"],
  awaited: false,
  special: { envFile: true },
  app: { method: "onCwdChanged", answers: ["watchPaths"] },
} as const satisfies RowFacts;

import { z } from "zod";
import { document, statsSchema } from "./session-document.ts";

/** Objects are open: what a client wrote and we do not know is handed on. */
const text = z.string();
const count = z.int().min(0);
const moment = text.meta({ description: "An ISO time, as Claude Code wrote it." });
const anything = z.record(z.string(), z.unknown());

const live = z.looseObject({
  pid: count,
  sessionId: text,
  cwd: text.optional(),
  status: z.enum(["idle", "busy", "waiting", "unknown"]),
  waitingFor: text.optional(),
  headless: z.boolean(),
  live: z.enum(["yes", "no", "unknown"]),
  name: text.optional(),
  version: text.optional(),
  startedAtMs: z.number().optional(),
  file: text,
});

const list = z.strictObject({
  sessions: z.array(
    z.strictObject({
      id: text,
      origin: z.enum(["client", "hookline", "archive"]),
      project: text,
      cwd: text.optional(),
      title: text.optional(),
      firstPrompt: text.optional(),
      startedAt: moment.optional(),
      lastAt: moment.optional(),
      sizeBytes: count,
      version: text.optional(),
      branch: text.optional(),
      agents: count,
      live: z.enum(["yes", "no", "unknown"]),
      goneAtSource: z.boolean(),
      file: text,
    }),
  ),
  due: z.array(z.strictObject({ id: text, dueAt: text })),
});

const entries = z.strictObject({
  session: text,
  file: text,
  entries: z.array(z.looseObject({ kind: text, line: count })),
});

const agent: z.ZodType = z.lazy(() =>
  z.strictObject({
    id: text,
    type: text.optional(),
    description: text.optional(),
    linkedBy: text,
    background: z.boolean(),
    calls: count,
    tools: count,
    agents: z.array(agent),
  }),
);

const tree = z.strictObject({
  session: text,
  file: text,
  title: text.optional(),
  turns: z.array(
    z.strictObject({
      number: count,
      role: text,
      prompt: text,
      startedAt: moment.optional(),
      durationMs: z.number().optional(),
      ended: text,
      calls: count,
      tools: count,
      agents: z.array(text),
    }),
  ),
  agents: z.array(agent),
  branches: z.array(anything),
  compactions: z.array(
    z.strictObject({
      uuid: text,
      trigger: text.optional(),
      preTokens: z.number().optional(),
      postTokens: z.number().optional(),
    }),
  ),
  lineage: z.array(z.strictObject({ id: text, by: text, file: text.optional() })),
});

const search = z.strictObject({
  query: text,
  total: count,
  files: count,
  bytes: count,
  unread: z.array(z.strictObject({ file: text, why: text })),
  hits: z.array(
    z.strictObject({
      session: text,
      file: text,
      agentId: text.optional(),
      uuid: text.optional(),
      turn: count.optional(),
      offset: count,
      length: count,
      timestamp: moment.optional(),
      kind: text,
      phrase: z.boolean(),
      snippet: text,
    }),
  ),
});

const reach = z.strictObject({ entries: count, prompts: count, toolResults: count });

const validate = z.strictObject({
  sessions: z.array(
    z.strictObject({
      session: text,
      file: text,
      live: z.boolean(),
      counts: z.strictObject({ error: count, warning: count, note: count }),
      findings: z.array(
        z.strictObject({
          code: text,
          severity: z.enum(["error", "warning", "note"]),
          file: text,
          line: count,
          offset: count,
          uuid: text.optional(),
          message: text,
        }),
      ),
      resume: z.strictObject({
        reached: reach,
        missed: reach,
        breaksAt: z.strictObject({ uuid: text, parentUuid: text, line: count }).optional(),
      }),
    }),
  ),
});

const repairedLine = z.strictObject({ code: text, file: text, line: count, uuid: text.optional(), message: text });

const repair = z.union([
  z.strictObject({ session: text, mends: z.array(repairedLine), file: text.nullable(), backup: text.nullable() }),
  z
    .strictObject({ session: text, done: z.array(anything), backup: text.nullable() })
    .meta({ description: "With --to FORMAT." }),
  z
    .strictObject({
      session: text,
      restored: z.array(text),
      removed: z.array(text),
      backup: text,
      kept: text.nullable(),
    })
    .meta({ description: "With --rollback; kept is the backup of what was there before." }),
]);

const archive = z.strictObject({
  sessions: z.array(z.strictObject({ session: text, files: count, addedBytes: count, heldBytes: count })),
  addedBytes: count,
  heldBytes: count,
});

const change = z
  .strictObject({ kind: z.enum(["started", "changed", "ended"]), session: live, before: live.optional() })
  .meta({ description: "With --watch: one such object per line." });

/** What `hookline sessions … --json` prints, by verb. */
export const sessionsSchemas: Readonly<Record<string, z.ZodType>> = named({
  ls: list,
  show: z.union([document.extend({ stats: statsSchema }), entries.meta({ description: "With --entries or --last." })]),
  tree,
  live: z.union([z.strictObject({ sessions: z.array(live) }), change]),
  search,
  validate,
  repair,
  fork: z.strictObject({ session: text, file: text, forkedFrom: text }),
  archive,
  export: document,
});

function named(schemas: Readonly<Record<string, z.ZodType>>): Readonly<Record<string, z.ZodType>> {
  return Object.fromEntries(
    Object.entries(schemas).map(([verb, schema]) => [
      verb,
      schema.meta({ title: `sessions ${verb}`, description: `What hookline sessions ${verb} --json prints.` }),
    ]),
  );
}

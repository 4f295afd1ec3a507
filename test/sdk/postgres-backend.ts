import { randomUUID } from "node:crypto";
import type { BackendOptions, JobScope, TaskBackend, TaskRecord } from "hookline/sdk";

/**
 * create table jobs (id text primary key, session text, space text, key text, task text, state text default 'pending', priority int,
 *   attempts int, begun int default 0, lease text, beat_at bigint, added bigserial, added_at bigint, ended_at bigint, ttl_ms bigint,
 *   job text, result text, unique (session, space, key))
 */
export interface Database {
  query(text: string, values?: unknown[]): Promise<{ rows: Row[] }>;
}
interface Row {
  readonly id: string;
  readonly state: TaskRecord["state"];
  readonly begun: number;
  readonly added_at: number | string;
  readonly ended_at: number | string | null;
  readonly job: string;
  readonly result: string | null;
}

export function postgresTasks(db: Database, { leaseMs = 30_000, maxOpen = 1_000 }: BackendOptions = {}): TaskBackend {
  const run = async (text: string, ...values: unknown[]) => (await db.query(text, values)).rows;
  const isAt = "session = $1 and space = $2 and key = $3";
  const at = ({ session, space }: JobScope, key: string) => [session, space, key].map((text) => JSON.stringify(text)); // no NUL
  /** Jobs whose worker missed its heartbeat become pending again, or fail. */
  const recover = () =>
    run(
      `update jobs set lease = null, state = case when begun < attempts then 'pending' else 'failed' end,
         ended_at = case when begun < attempts then null else $1::bigint end, result = $2
       where state = 'running' and beat_at < $3`,
      ...[Date.now(), JSON.stringify({ error: { code: "worker-lost", message: "its worker ended" } })],
      Date.now() - leaseMs,
    );

  return {
    async add(job) {
      const id = randomUUID();
      const rows = await run(
        `insert into jobs (session, space, key, id, task, priority, attempts, added_at, ttl_ms, job)
           select $1::text, $2::text, $3::text, $4, $5, $6, $7, $8, $9, $10 where $11::int > (select count(*) from jobs
             where session = $1 and state in ('pending', 'running') and not (space = $2 and key = $3))
         on conflict (session, space, key) do update set id = excluded.id, task = excluded.task, state = 'pending', begun = 0,
           priority = excluded.priority, attempts = excluded.attempts, lease = null, added = excluded.added,
           added_at = excluded.added_at, ended_at = null, ttl_ms = excluded.ttl_ms, job = excluded.job, result = null
         returning *`,
        ...[...at(job, job.key), id, job.task, job.priority, job.attempts, Date.now(), job.ttlMs],
        ...[JSON.stringify(job), maxOpen],
      );
      if (rows.length === 0) throw Object.assign(new Error("too many open jobs"), { code: "sdk/too-many-tasks" });
      return id;
    },
    async get(place, key) {
      await recover();
      return (await run(`select * from jobs where ${isAt}`, ...at(place, key))).map(recordOf)[0];
    },
    async list(session) {
      await recover();
      return (await run("select * from jobs where session = $1 order by added", JSON.stringify(session))).map(recordOf);
    },
    async take(place, key, state) {
      await recover();
      const taken = `delete from jobs where ${isAt} and state = $4 and ended_at + ttl_ms > $5 returning *`;
      return (await run(taken, ...at(place, key), state, Date.now())).map(recordOf)[0];
    },
    async cancel(place, key) {
      const cancelled = "update jobs set state = 'cancelled', lease = null, ended_at = $4";
      const open = `${isAt} and state in ('pending', 'running')`;
      return (await run(`${cancelled} where ${open} returning *`, ...at(place, key), Date.now())).length > 0;
    },
    wake: async () => undefined,
    async claim(tasks) {
      await recover();
      const lease = randomUUID();
      const [row] = await run(
        `update jobs set state = 'running', begun = begun + 1, lease = $1, beat_at = $2
         where id = (select id from jobs where state = 'pending' and task = any($3)
           order by priority desc, added limit 1 for update skip locked) returning *`,
        ...[lease, Date.now(), tasks],
      );
      return row && { record: recordOf(row), lease };
    },
    beat: async ({ lease }) =>
      (await run("update jobs set beat_at = $1 where lease = $2 returning *", Date.now(), lease)).length > 0,
    async finish({ lease }, end) {
      const back = "state = 'pending', begun = begun - 1, lease = null where lease = $1";
      const over = "state = $2, ended_at = $3, result = $4, lease = null where lease = $1";
      const rows =
        end.state === "released"
          ? await run(`update jobs set ${back} returning *`, lease)
          : await run(`update jobs set ${over} returning *`, lease, end.state, Date.now(), JSON.stringify(end));
      return rows.length > 0;
    },
    close: async () => undefined,
  };
}

function recordOf({ id, state, begun, added_at, ended_at, job, result }: Row): TaskRecord {
  const record = { ...JSON.parse(job), id, state, begun, addedAt: Number(added_at) } as TaskRecord;
  if (ended_at === null) return record;
  const endedAt = Number(ended_at);
  if (Date.now() >= endedAt + record.ttlMs) return { ...record, endedAt, state: "expired" };
  return { ...record, endedAt, ...JSON.parse(result ?? "{}"), state };
}

import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { attempt, groupBy, memoized, Problem } from "../../protocol/internal.ts";
import { mostFrequentFirst, readSubagentMeta, type SubagentMeta } from "../../sessions/internal.ts";
import { quarterMs, sumColumn } from "../calls/rollups.ts";
import type { Ledger, LedgerFile } from "../ledger/ledger.ts";
import { pricedModel } from "../prices/price-table.ts";
import type { ReportRequest } from "../usage-options.ts";
import { dayFrom, openZone, type Zone } from "./calendar.ts";

/** The rollups a request is about, and what their numbers stand for. */
export interface UsageSelection {
  readonly ledger: Ledger;
  readonly zone: Zone;
  readonly since: string | null;
  readonly until: string | null;
  keep(at: number): boolean;
  /** Whether the file is of the wanted project; true when all are wanted. */
  hasFile(file: LedgerFile): boolean;
  /** The day of a rollup, `undated` when nothing dates it. */
  dayOf(at: number): string;
  modelOf(at: number): string;
  /** Empty for what no agent did. */
  agentOf(at: number): string;
  agentType(at: number): string;
  /** The transcript that owns the calls. */
  fileOf(at: number): LedgerFile;
  /** The directory in which the file's sessions ran, or the name of its folder when no line has one. */
  projectOf(file: LedgerFile): string;
  metaOf(file: LedgerFile): SubagentMeta | undefined;
}

export const undatedDay = "undated";

export function selectRollups(ledger: Ledger, request: ReportRequest): UsageSelection {
  const { sums } = ledger.rollups;
  const now = request.now ?? Date.now();
  const zone = openZone(request.timezone);
  const since = request.since === undefined ? null : dayFrom(request.since, zone, now);
  const until = request.until === undefined ? null : dayFrom(request.until, zone, now);
  if (since !== null && until !== null && since > until) {
    const message = `--since ${since} comes after --until ${until}: the range is empty.`;
    throw new Problem("usage/date", message, { about: { since, until } });
  }
  const projectOf = projectFinder(ledger.files, request.projectNames);
  const dayOfQuarter = memoized((quarter: number) => (quarter < 0 ? undatedDay : zone.dayOf(quarter * quarterMs)));
  const dayOf = (at: number): string => dayOfQuarter(sums[at + sumColumn.quarter] as number);
  const modelOf = (at: number): string => ledger.names[sums[at + sumColumn.model] as number] ?? "";
  const agentOf = (at: number): string => ledger.names[sums[at + sumColumn.agent] as number] ?? "";
  const fileOf = (at: number) => ledger.files[sums[at + sumColumn.file] as number] as LedgerFile;
  const metaOf = memoized(({ meta }: LedgerFile) => (meta === undefined ? undefined : readSubagentMeta(meta)));
  const agentType = (at: number): string => {
    const agent = agentOf(at);
    if (agent === "") return "main";
    const file = fileOf(at);
    if (file.agent !== agent) return "unknown";
    return metaOf(file)?.agentType ?? file.facts.agentType ?? "unknown";
  };
  const session = request.session === undefined ? undefined : findSession(ledger.files, request.session);
  const { project } = request;
  const wantsProject = project === undefined ? undefined : projectAliases(project, request.projectNames);
  const wantsModel = request.model === undefined ? undefined : pricedModel(request.model).name;

  const hasFile = (file: LedgerFile): boolean =>
    wantsProject === undefined || isProject(wantsProject, projectOf(file), file.project);
  const keep = (at: number): boolean => {
    const file = fileOf(at);
    if (session !== undefined && file.session !== session) return false;
    if (since !== null || until !== null) {
      const day = dayOf(at);
      if (day === undatedDay || (since !== null && day < since) || (until !== null && day > until)) return false;
    }
    if (wantsModel !== undefined && modelOf(at) !== request.model && pricedModel(modelOf(at)).name !== wantsModel)
      return false;
    if (request.agent !== undefined && agentOf(at) !== request.agent && agentType(at) !== request.agent) return false;
    return hasFile(file);
  };
  return { ledger, zone, since, until, keep, hasFile, dayOf, modelOf, agentOf, agentType, fileOf, projectOf, metaOf };
}

/**
 * What a project may be called: the text as it is, the directory that it names (`shop/`, `../shop`, a link to it), and the name under which
 * settings join that directory with others.
 */
function projectAliases(wanted: string, joined: ReportRequest["projectNames"] = {}): ReadonlySet<string> {
  const given = resolve(wanted);
  const forms = [wanted, wanted.replace(/(?<=[^\\/])[\\/]+$/, ""), given, attempt(() => realpathSync(given)) ?? given];
  return new Set(forms.flatMap((form) => (Object.hasOwn(joined, form) ? [form, joined[form] as string] : [form])));
}

function isProject(wanted: ReadonlySet<string>, project: string, folder: string): boolean {
  return wanted.has(project) || wanted.has(folder) || wanted.has(project.split(/[\\/]/).at(-1) ?? "");
}

function findSession(files: readonly LedgerFile[], wanted: string): string {
  const found = sessionNamed(wanted, files);
  if (found !== undefined) return found;
  const isShort = wanted.length < shortestPrefix;
  const hint = isShort ? `; the beginning of an id needs at least ${shortestPrefix} characters` : "";
  throw noSession(wanted, `is not a session here${hint}`, []);
}

const shortestPrefix = 4;

/**
 * The session with this id, or the only one whose id begins so (4 characters or more); undefined when there is none. Throws
 * `usage/session` when several begin so.
 */
export function sessionNamed(wanted: string, files: readonly { readonly session?: string }[]): string | undefined {
  const ids = new Set(files.flatMap(({ session }) => session ?? []));
  if (ids.has(wanted)) return wanted;
  const found = wanted.length < shortestPrefix ? [] : [...ids].filter((id) => id.startsWith(wanted));
  if (found.length < 2) return found[0];
  const shown = found.slice(0, 5).join(", ");
  throw noSession(wanted, `could be ${shown}${found.length > 5 ? " and others" : ""}`, found);
}

function noSession(wanted: string, why: string, found: readonly string[]): Problem {
  const message = `"${wanted}" ${why}. hookline sessions ls lists the ids there are.`;
  return new Problem("usage/session", message, { about: { session: wanted, candidates: found.slice(0, 20) } });
}

/**
 * A folder's project is the working directory that its files name most often as their first one; the folder's name cannot be
 * turned back into a path. `names` joins folders and worktrees under one name.
 */
function projectFinder(
  files: readonly LedgerFile[],
  names: Readonly<Record<string, string>> = {},
): (file: LedgerFile) => string {
  const folderOf = ({ root, project }: LedgerFile) => `${root}\0${project}`;
  const folders = groupBy(files, folderOf);
  const usualCwd = memoized((folder: string) => {
    const cwds = folders.get(folder)?.flatMap(({ facts }) => facts.cwd ?? []);
    return mostFrequentFirst(cwds ?? [])[0];
  });
  return (file) => {
    const project = usualCwd(folderOf(file)) ?? file.project;
    return names[project] ?? names[file.project] ?? project;
  };
}

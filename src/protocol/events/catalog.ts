import { closestName } from "../did-you-mean.ts";
import type { ValuesOf } from "../field.ts";
import type { PermissionUpdate } from "../outcome.ts";
import { Problem, showValue } from "../problem.ts";
import { agentEvents } from "./agent-events.ts";
import type { CommonInput } from "./common-fields.ts";
import { contextEvents } from "./context-events.ts";
import { type CatalogRow, type EventRow, type EventTable, type Phase, usual } from "./event-row.ts";
import { mcpEvents } from "./mcp-events.ts";
import { promptEvents } from "./prompt-events.ts";
import { sessionEvents } from "./session-events.ts";
import { settingsEvents } from "./settings-events.ts";
import { toolEvents } from "./tool-events.ts";
import { turnEvents } from "./turn-events.ts";

const rows = {
  ...rowsOf("session", sessionEvents),
  ...rowsOf("prompt", promptEvents),
  ...rowsOf("tool", toolEvents),
  ...rowsOf("turn", turnEvents),
  ...rowsOf("agent", agentEvents),
  ...rowsOf("context", contextEvents),
  ...rowsOf("settings", settingsEvents),
  ...rowsOf("mcp", mcpEvents),
} as const;

type RowsOf<Table extends EventTable> = {
  readonly [Name in keyof Table]: CatalogRow<Name & string, Table[Name]["fields"], Table[Name]["app"]>;
};

function rowsOf<Table extends EventTable>(phase: Phase, table: Table): RowsOf<Table> {
  const rows = Object.entries(table).map(([name, facts]): [string, EventRow] => [
    name,
    { ...usual, ...facts, name, phase },
  ]);
  return Object.fromEntries(rows) as RowsOf<Table>;
}

/** The types of the rows: what an event's payload holds and what its handlers may answer is read from them. */
export type Catalog = typeof rows;

/** Every event with its row, in the order of an agent's life. The only list of events in the project. */
export const catalog: Catalog = rows;

/** The name of an event of the catalog, such as `PreToolUse`. */
export type EventName = keyof Catalog;

/** The event's own fields, by its name. */
export interface EventInputs extends Omit<InputsOf<Catalog>, "PermissionRequest"> {
  readonly PermissionRequest: PermissionRequestInput;
}

/** A field cannot describe the kinds of updates. */
type PermissionRequestInput = Omit<InputsOf<Catalog>["PermissionRequest"], "permission_suggestions"> & {
  readonly permission_suggestions?: readonly PermissionUpdate[];
};

type InputsOf<Rows extends Readonly<Record<string, EventRow>>> = {
  readonly [Name in keyof Rows]: ValuesOf<Rows[Name]["fields"]>;
};

/** The whole payload of an event: common fields, then its own. */
export type Payload<Name extends EventName = EventName> = CommonInput & EventInputs[Name];

/** The name of every event in the catalog. */
export const eventNames: readonly EventName[] = Object.keys(catalog) as EventName[];

/** Whether the catalog has an event of this name. */
export function isEventName(name: string): name is EventName {
  return Object.hasOwn(catalog, name);
}

/** The row of an event; `rows` may hold a host's own rows in addition to the catalog. */
export function eventRow(name: string, rows: Readonly<Record<string, EventRow>> = catalog): EventRow {
  // Callers without types pass anything; a list of one name would be taken for the name.
  const row = typeof name === "string" && Object.hasOwn(rows, name) ? rows[name] : undefined;
  if (row !== undefined) return row;
  const given = String(name);
  const near = closestName(given, Object.keys(rows));
  const hint = near ? `Did you mean "${near}"?` : "See docs/events.md of the hookline package.";
  throw new Problem("event/unknown", `${showValue(name)} is not an event. ${hint}`, { about: { event: given, near } });
}

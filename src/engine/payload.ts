import { commonFields, type EventRow, type Field, Problem, type Warning } from "../protocol/index.ts";

/** What the engine knows when a host leaves it out. */
export interface PayloadDefaults {
  readonly sessionId: string;
  readonly cwd: string;
  /** Adds the older spellings `working_directory` and `home_directory` for hooks that still read them. */
  readonly olderFields?: { readonly home: string };
}

export type AnyPayload = Readonly<Record<string, unknown>>;

/** A payload as hooks get it: common fields first and in order, then the event's own as the host sent them. */
export function completePayload(
  row: EventRow,
  given: AnyPayload,
  defaults: PayloadDefaults,
): { payload: AnyPayload; warnings: readonly Warning[] } {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new Problem("event/bad-payload", `The payload of ${row.name} must be a JSON object.`, {
      about: { event: row.name },
    });
  }
  const { working_directory: folder, home_directory: _, ...sent } = given;
  const filled: Record<string, unknown> = {
    session_id: defaults.sessionId,
    transcript_path: "",
    cwd: typeof folder === "string" ? folder : defaults.cwd,
  };
  const payload: Record<string, unknown> = {};
  for (const name in commonFields) {
    if (name === "hook_event_name") payload[name] = row.name;
    else if (name in sent || name in filled) payload[name] = sent[name] ?? filled[name];
  }
  for (const name in sent) if (!(name in payload)) payload[name] = sent[name];
  if (defaults.olderFields) {
    payload["working_directory"] = payload["cwd"];
    payload["home_directory"] = defaults.olderFields.home;
  }
  return { payload, warnings: checkPayload(row, payload, given) };
}

/** Wrong where the engine itself has to look is a wrong call; missing elsewhere is worth a word. */
function checkPayload(row: EventRow, payload: AnyPayload, given: AnyPayload): readonly Warning[] {
  for (const name of neededFields(row)) {
    const field = row.fields[name] ?? { is: "text" };
    const value = payload[name];
    if (value === undefined && !row.special.onTool) continue;
    if (!isOf(value, field)) throw badPayload(row, name, field, value);
  }
  const missing = [
    ...(typeof given["transcript_path"] === "string" ? [] : ["transcript_path"]),
    ...Object.keys(row.fields).filter((name) => !row.fields[name]?.optional && payload[name] === undefined),
  ];
  if (missing.length === 0) return [];
  const message = `The payload of ${row.name} lacks ${missing.join(", ")}; hooks that read them will not find them.`;
  return [{ code: "payload-incomplete", message, place: missing.join(", ") }];
}

function neededFields(row: EventRow): readonly string[] {
  const matched = row.matchesOn === null ? [] : [row.matchesOn.field];
  return row.special.onTool ? ["tool_name", "tool_input", ...matched] : matched;
}

function isOf(value: unknown, field: Field): boolean {
  if (field.is === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  return typeof value === "string";
}

function badPayload(row: EventRow, name: string, field: Field, value: unknown): Problem {
  const expected = field.is === "object" ? "an object" : "a string";
  const found = value === undefined ? "it is missing" : `not ${JSON.stringify(value)?.slice(0, 60)}`;
  return new Problem("event/bad-payload", `${name} of ${row.name} must be ${expected}, ${found}.`, {
    about: { event: row.name, field: name },
  });
}

import {
  type CatalogRow,
  catalog,
  checkAll,
  checkNamed,
  checkOf,
  closestName,
  commonFields,
  type EventRow,
  type EventSpecials,
  type Field,
  type Fields,
  isObject,
  type MatchedField,
  mustBe,
  type OptionCheck,
  oneOfCheck,
  Problem,
  showValue,
} from "../protocol/internal.ts";

/** Refuses rows that could not be followed: with a misspelled part, matchers would match nothing and guards would not deny. */
export function checkEventRows(rows: readonly EventRow[]): void {
  const rowChecks = checksOfRow();
  for (const row of rows) {
    const of = `event row ${showValue(row.name)}`;
    checkNamed(of, row, rowChecks, code);
    const parts: Readonly<Record<string, unknown>> = { ...row };
    const missing = Object.keys(rowChecks).find((part) => part !== "app" && parts[part] === undefined);
    if (missing !== undefined) {
      const start = 'Begin with a row of the catalog, as in { ...catalog.TaskCreated, name: "Deploy" }';
      throw bad(`The part ${missing} of ${of} is missing. ${start}.`, missing);
    }
    checkNamed(`special of ${of}`, row.special, specialChecks, code);
    for (const [name, field] of Object.entries(row.fields)) checkField(field, name, of);
    if (row.matchesOn !== null) checkMatchesOn(row.matchesOn, row, of);
  }
}

/** A field and the fields inside it. */
function checkField(field: Field, path: string, of: string): void {
  const given: object = isObject(field) ? Object.assign({ is: null }, field) : field;
  checkNamed(`field ${showValue(path)} of ${of}`, given, fieldChecks, code);
  if (field.is === "object") {
    for (const [name, inner] of Object.entries(field.fields ?? {})) checkField(inner, `${path}.${name}`, of);
    if (field.values !== undefined) checkField(field.values, `${path}.*`, of);
  }
  if (field.is === "list") checkField(field.of, `${path}[]`, of);
  if (field.is === "either") for (const inner of [field.of].flat()) checkField(inner, path, of);
}

function checkMatchesOn(matchesOn: MatchedField, { fields }: EventRow, of: string): void {
  checkNamed(`matchesOn of ${of}`, matchesOn, matchedChecks, code);
  const known: Fields = { ...commonFields, ...fields };
  const { field: name } = matchesOn;
  const field = Object.hasOwn(known, name) ? known[name] : undefined;
  if (field !== undefined && holdsText.has(field.is)) return;
  const near = closestName(String(name), Object.keys(fields));
  const hint = near === undefined || near === name ? "" : ` Did you mean ${near}?`;
  const found = field === undefined ? "is not in fields" : `is not a text but a ${field.is}`;
  throw bad(`matchesOn of ${of} names the field ${showValue(name)}, which ${found}.${hint}`, "matchesOn");
}

const code = "engine/bad-option";

function bad(message: string, option: string): Problem {
  return new Problem(code, message, { about: { option } });
}

/** Only strings are compared with matchers. */
const holdsText: ReadonlySet<Field["is"]> = new Set(["text", "either", "anything"]);

const rowsOfCatalog: readonly EventRow[] = Object.values(catalog);

/** Every value that a part can have occurs in the catalog. */
function usedIn(part: keyof EventRow): OptionCheck {
  return oneOfCheck(rowsOfCatalog.map((row) => row[part]));
}

function listUsedIn(part: "carries" | "answers" | "decisions" | "types"): OptionCheck {
  const known: readonly string[] = [...new Set(rowsOfCatalog.flatMap((row): readonly string[] => row[part]))];
  return checkOf(
    `a list of ${known.map((item) => showValue(item)).join(", ")}`,
    (value) => Array.isArray(value) && value.every((item) => known.includes(item)),
  );
}

function orNull(check: OptionCheck): OptionCheck {
  return (value) => {
    const expected = value === null ? undefined : check(value);
    return expected && `${expected}, or null`;
  };
}

/** Made when a host has events of its own: most have none, and the whole catalog is looked through. */
function checksOfRow(): Readonly<Record<keyof CatalogRow<string, Fields>, OptionCheck | undefined>> {
  return {
    name: mustBe.text,
    phase: usedIn("phase"),
    since: usedIn("since"),
    fires: mustBe.text,
    carries: listUsedIn("carries"),
    fields: mustBe.object,
    matchesOn: orNull(mustBe.object),
    onText: usedIn("onText"),
    onBlock: usedIn("onBlock"),
    onOther: usedIn("onOther"),
    answers: listUsedIn("answers"),
    decisions: listUsedIn("decisions"),
    blockWord: mustBe.boolean,
    types: listUsedIn("types"),
    timeoutMs: orNull(mustBe.positiveNumber),
    blocks: orNull(mustBe.text),
    awaited: usedIn("awaited"),
    onFailure: usedIn("onFailure"),
    onStop: usedIn("onStop"),
    onNotOk: usedIn("onNotOk"),
    special: mustBe.object,
    app: undefined,
  };
}

const specialChecks: Readonly<Record<keyof EventSpecials, OptionCheck | undefined>> = {
  ...checkAll(mustBe.boolean, "onTool", "endsTurn", "startsTurn", "endsSession", "envFile", "timeoutDenies"),
  ...checkAll(mustBe.boolean, "exit2HidesAnswers", "answersPath"),
  ...checkAll(mustBe.object, "budget", "honouredWhen"),
  ...checkAll(mustBe.text, "stockDenial", "insideAgent"),
  ...checkAll(mustBe.function, "blocksWhen", "messageIsContext"),
};

const matchedChecks: Readonly<Record<keyof MatchedField, OptionCheck>> = {
  field: mustBe.text,
  narrow: mustBe.boolean,
  part: oneOfCheck(["basename"]),
};

const fieldChecks: Readonly<Record<string, OptionCheck | undefined>> = {
  is: oneOfCheck(["text", "number", "flag", "object", "list", "either", "anything"]),
  ...checkAll(mustBe.boolean, "optional", "nullable", "newer", "open"),
  ...checkAll(mustBe.object, "fields", "values"),
  of: checkOf("a list or a field", (value) => Array.isArray(value) || isObject(value)),
  above: mustBe.number,
};

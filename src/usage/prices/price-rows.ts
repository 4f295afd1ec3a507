import { closestName, isObject, isStringList, Problem } from "../../protocol/internal.ts";

/** Classes of tokens that have a price of their own. */
const priceClasses = ["input", "write5m", "write1h", "cacheRead", "output"] as const;

/** One number for each class of tokens. In a row of the table: integer pico-dollars per token. */
export type Prices = Readonly<Record<(typeof priceClasses)[number], number>>;

export function pricesBy(priceOf: (name: keyof Prices) => number): Prices {
  return Object.fromEntries(priceClasses.map((name) => [name, priceOf(name)])) as Prices;
}

/** The prices of some models during some time. */
export interface PriceRow {
  readonly models: readonly string[];
  /** First moment, and the first moment after, in milliseconds; without an end for open rows. */
  readonly from: number;
  readonly to: number;
  readonly prices: Prices;
  /** For the whole call once its prompt is longer than `over`; ascending. */
  readonly steps: readonly { readonly over: number; readonly prices: Prices }[];
  readonly fast: Prices | undefined;
  /** Whether answers computed in the US only cost a tenth more. */
  readonly usSurcharge: boolean;
  readonly perSearchPico: number;
  /** Where the prices were read, and on which day. */
  readonly source: string;
  readonly read: string;
}

/** Rows as a table file holds them: dollars per million tokens, as text so that no digit is lost. Throws `usage/prices`. */
export function readRows(file: unknown, where: string): PriceRow[] {
  const rows = isObject(file) ? file["rows"] : undefined;
  if (!Array.isArray(rows)) throw wrong(where, 'it has no list "rows"');
  return rows.map((row: unknown, index) => readRow(row, `${where}, row ${index + 1}`));
}

function readRow(row: unknown, where: string): PriceRow {
  if (!isObject(row)) throw wrong(where, "it is not an object");
  const models = row["models"];
  if (!isStringList(models) || models.length === 0) throw wrong(where, '"models" is not a list of names');
  if ((row["currency"] ?? "USD") !== "USD") throw wrong(where, `"currency" must be "USD": amounts are not converted`);
  onlyNames(row, rowNames, where);
  const from = day(row["from"], -Infinity, where);
  const to = day(row["to"], Infinity, where);
  if (from >= to) throw wrong(where, `"to" is the first day after, so it must come after "from"`);
  const usSurcharge = row["usSurcharge"] ?? false;
  if (typeof usSurcharge !== "boolean") throw wrong(where, `"usSurcharge" is true or false`);
  return {
    models,
    from,
    to,
    prices: prices(row["prices"], where),
    steps: steps(row["steps"], where),
    fast: row["fast"] == null ? undefined : prices(row["fast"], where),
    usSurcharge,
    perSearchPico: dollarsToPico(row["perSearch"] ?? "0", "perSearch", where),
    source: text(row["source"], "source", where),
    read: text(row["read"], "read", where),
  };
}

const stepNames = ["over", "prices"];
const rowNames = [
  ...["models", "from", "to", "prices", "steps", "fast", "usSurcharge", "perSearch"],
  ...["currency", "source", "read", "note"],
];

/** A misspelled name would silently leave out a price. */
function onlyNames(value: object, names: readonly string[], where: string): void {
  for (const name of Object.keys(value)) {
    if (names.includes(name)) continue;
    const near = closestName(name, names);
    throw wrong(where, `"${name}" is not known${near === undefined ? "" : `; did you mean "${near}"`}`);
  }
}

function prices(value: unknown, where: string): Prices {
  if (!isObject(value)) throw wrong(where, "prices must be an object");
  onlyNames(value, priceClasses, where);
  return pricesBy((name) => dollarsToPico(value[name], name, where) / 1_000_000);
}

function steps(value: unknown, where: string): PriceRow["steps"] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw wrong(where, '"steps" is not a list');
  return value
    .map((step: unknown) => {
      const over = isObject(step) ? step["over"] : undefined;
      if (!isObject(step) || typeof over !== "number" || !(over >= 0))
        throw wrong(where, 'a step needs "over", a number of tokens');
      onlyNames(step, stepNames, where);
      return { over, prices: prices(step["prices"], where) };
    })
    .sort((a, b) => a.over - b.over);
}

/** "12.50" → 12.5 × 10^12, digit by digit, without floating-point arithmetic. */
function dollarsToPico(value: unknown, name: string, where: string): number {
  if (value === undefined) throw wrong(where, `"${name}" is missing`);
  const written = typeof value === "number" ? String(value) : value;
  const parts = typeof written === "string" ? /^(\d{1,5})(?:\.(\d{1,6}))?$/.exec(written) : null;
  if (parts === null) throw wrong(where, `"${name}" must be an amount such as "12.50", not ${JSON.stringify(value)}`);
  return Number(`${parts[1]}${(parts[2] ?? "").padEnd(6, "0")}`) * 1_000_000;
}

/** Micro-dollars of an amount in dollars as JSON wrote it, half up, by its decimal digits. */
export function usdToMicro(dollars: number): number {
  if (!Number.isFinite(dollars) || dollars <= 0) return 0;
  const [digits = "0", exponent = "0"] = dollars.toExponential().split("e");
  const [whole = "0", part = ""] = digits.split(".");
  const all = BigInt(whole + part);
  const power = 6 + Number(exponent) - part.length;
  if (power >= 0) return Number(all * 10n ** BigInt(power));
  const unit = 10n ** BigInt(-power);
  return Number((2n * all + unit) / (2n * unit));
}

function day(value: unknown, otherwise: number, where: string): number {
  if (value === undefined || value === null) return otherwise;
  const at =
    typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value) ? Date.parse(`${value}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== value)
    throw wrong(where, `${JSON.stringify(value)} is not a day such as "2026-10-07"`);
  return at;
}

function text(value: unknown, name: string, where: string): string {
  if (typeof value === "string" && value !== "") return value;
  throw wrong(where, `"${name}" is missing: say where the prices come from and when they were read`);
}

function wrong(where: string, why: string): Problem {
  return new Problem("usage/prices", `Prices in ${where}: ${why}.`, { about: { where } });
}

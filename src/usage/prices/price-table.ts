import { readFileSync } from "node:fs";
import { sha256 } from "../../files/internal.ts";
import { memoized, Problem } from "../../protocol/internal.ts";
import { type PriceRow, readRows } from "./price-rows.ts";

/** Prices by model and time. */
export interface PriceTable {
  readonly rows: readonly PriceRow[];
  /** Names exactly these prices: figures kept under another fingerprint are computed again. */
  readonly fingerprint: string;
  /** The row for a model, as it was written in a transcript, at a moment. */
  rowAt(model: string, at: number): PriceRow | undefined;
}

/** The package's own prices, and before them those of the user's file. */
export function openPrices(userFile?: string): PriceTable {
  const own = ownTable();
  const ownRows = readRows(JSON.parse(own) as unknown, "the price table of this package");
  if (userFile === undefined) return priceTable([ownRows], own);
  const { text, value } = readUserFile(userFile);
  return priceTable([readRows(value, userFile), ownRows], text + own);
}

/** Earlier lists win, model by model and moment by moment. */
export function priceTable(lists: readonly (readonly PriceRow[])[], content: string): PriceTable {
  const rows = lists.flat();
  /** In each list a row for the name as it was written comes before one for the plain name. */
  const rowsFor = (written: string) => {
    const names = [...new Set([written, pricedModel(written).name])];
    return lists.flatMap((list) => names.flatMap((name) => list.filter((row) => row.models.includes(name))));
  };
  const spansFor = memoized((model: string) => spansOf(rowsFor(model)));
  return {
    rows,
    fingerprint: sha256(content).slice(0, 16),
    rowAt: (model, at) => spansFor(model).find((row) => row.from <= at && at < row.to),
  };
}

/** Turns rows that overlap into rows that do not: each for the time in which it comes first. */
function spansOf(rows: readonly PriceRow[]): readonly PriceRow[] {
  const bounds = [...new Set(rows.flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b);
  return bounds.slice(0, -1).flatMap((from, index) => {
    const row = rows.find((one) => one.from <= from && from < one.to);
    const to = bounds[index + 1] as number;
    if (row === undefined) return [];
    return row.from === from && row.to === to ? row : { ...row, from, to };
  });
}

function readUserFile(path: string): { readonly text: string; readonly value: unknown } {
  try {
    const text = readFileSync(path, "utf8");
    // Some editors put a byte order mark before the text.
    return { text, value: JSON.parse(text.replace(/^\ufeff/, "")) };
  } catch (cause) {
    const why =
      cause instanceof SyntaxError
        ? "is not JSON. See docs/usage.md of the hookline package for its shape."
        : "cannot be read. Name a file of prices in --prices or in usage.json of the state directory, or leave it out.";
    throw new Problem("usage/prices", `${path} ${why}`, { about: { path }, cause });
  }
}

/** Set by the build, which joins modules: then no file has to be found. */
declare const HOOKLINE_PRICES: string | undefined;

/** The package's own prices, as text. */
function ownTable(): string {
  if (typeof HOOKLINE_PRICES === "string") return HOOKLINE_PRICES;
  return readFileSync(new URL("../../../src/usage/prices/anthropic.json", import.meta.url), "utf8");
}

/**
 * A model's name as the price table spells it, and whether a cloud sold it: then the vendor's list price is only a basis. Drops what does
 * not change the price: a `[1m]` mark, a date, and the prefix or suffix a cloud puts around the name. Names are never matched by similarity.
 */
export function pricedModel(written: string): { readonly name: string; readonly cloud: boolean } {
  const bare = written.replace(/\[1m\]$/i, "");
  const vertex = /^(.*)@(?:\d{8}|latest|default)$/.exec(bare)?.[1];
  const bedrock = /^(?:arn:[^/]*\/)?(?:[a-z]{2,6}(?:-gov)?\.)?anthropic\.(.*?)(?:-v\d+(?::\d+)?)?$/.exec(bare)?.[1];
  const cloudless = vertex ?? bedrock ?? bare;
  return { name: cloudless.replace(/-20\d{6}$/, ""), cloud: cloudless !== bare };
}

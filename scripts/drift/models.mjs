/** Models of our table that end soon, and end-of-life dates of the vendor's own SDK that the table does not have. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const list = join(root, "node_modules", "@anthropic-ai", "sdk", "resources", "messages", "messages.js");

export function modelDrift({ knownModels, endOfLifeNotice }, nowMs = Date.now()) {
  const near = knownModels.flatMap(({ name }) => endOfLifeNotice(name, nowMs) ?? []);
  if (!existsSync(list)) return [...near, "the dates of the vendor's SDK were not compared: it is not installed"];
  const table = /DEPRECATED_MODELS = \{([\s\S]*?)\}/.exec(readFileSync(list, "utf8"))?.[1] ?? "";
  const dates = [...table.matchAll(/'([\w.-]+)':\s*'([^']+)'/g)].map(([, name, text]) => [name, dayOf(text)]);
  if (dates.length === 0) return [...near, "the dates of the vendor's SDK were not compared: it names none"];
  const known = new Map(knownModels.map(({ name, endOfLife }) => [name, endOfLife]));
  return [
    ...near,
    ...dates
      .filter(([name, day]) => known.has(plain(name)) && known.get(plain(name)) !== day)
      .map(([name, day]) => `${name}: the vendor's SDK says ${day}, the table ${known.get(plain(name)) ?? "nothing"}`),
  ];
}

function plain(name) {
  return name.replace(/-\d{8}$/, "");
}

/** `November 30th, 2026` as 2026-11-30. */
function dayOf(text) {
  const ms = Date.parse(`${text.replace(/(\d)(st|nd|rd|th)\b/, "$1")} UTC`);
  return Number.isNaN(ms) ? text : new Date(ms).toISOString().slice(0, 10);
}

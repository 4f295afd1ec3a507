import { parts } from "../long/parts.mjs";
import { table } from "./markdown.mjs";

/** CONTRIBUTING.md with the table of the long suite as test/long-parts.json has it. */
export function withLongTable(contributing) {
  const rows = parts.map(({ name, alone, shows, ci, ciTime, full, fullTime }) => [
    alone ? `${name}, alone` : name,
    ...[shows, ci, ciTime, full, fullTime],
  ]);
  const printed = table(["part", "what it shows", "CI size", "time", "`--full`", "time"], rows);
  return contributing.replace(/^\| part \|.*\n(?:\|.*\n)+/m, () => `${printed}\n`);
}

import { readFileSync } from "node:fs";
import { join } from "node:path";

/** One part of the long suite. `scripts/test-long.mjs` reads the same table. */
interface LongPart {
  readonly name: string;
  /** It has test files of its own, called `*.NAME.test.ts`. */
  readonly files?: boolean;
}

const table: readonly LongPart[] = JSON.parse(readFileSync(join(import.meta.dirname, "long-parts.json"), "utf8"));

/** The parts that have test files. `npm test` runs none of these files. */
export const longParts: readonly string[] = table.filter(({ files }) => files).map(({ name }) => name);

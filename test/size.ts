const size = process.env["HOOKLINE_TEST_SIZE"] ?? "ci";
if (size !== "ci" && size !== "full") throw new Error(`HOOKLINE_TEST_SIZE is "ci" or "full", not "${size}"`);

/** How often a long test repeats its trial: the number for CI, or the one for `npm run test:long -- PART --full`. */
export function sized(ci: number, full: number): number {
  return size === "full" ? full : ci;
}

/** The seed of all random input. Fixed, so that a run can be repeated; `--full` and `--seed` set another one. */
export const seed: number = Number(process.env["HOOKLINE_SEED"] ?? 881_494_103);

/**
 * True when the tests that need `name` are to be skipped because of `problem`, which is printed. `HOOKLINE_REQUIRE=redis,browser` names what may
 * not be missing: its absence is then an error. `.ci/run` and the workflows set it.
 */
export function isMissing(name: "interop" | "redis" | "browser", problem: string | undefined): boolean {
  if (problem === undefined) return false;
  const required = (process.env["HOOKLINE_REQUIRE"] ?? "").split(",");
  if (required.includes(name)) throw new Error(`HOOKLINE_REQUIRE names ${name}: ${problem}`);
  console.warn(`skipped, ${name}: ${problem}`);
  return true;
}

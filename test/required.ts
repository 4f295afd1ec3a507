/**
 * Tests that need something from outside (a client, a browser, a Redis server) are skipped where it is missing. `HOOKLINE_REQUIRE=redis,browser`
 * names what must be there: its absence is then a failure. `.ci/run` sets it.
 */
export function requires(name: "interop" | "redis" | "browser"): boolean {
  return (process.env["HOOKLINE_REQUIRE"] ?? "").split(",").includes(name);
}

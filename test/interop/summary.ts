import { writeFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";
import type { Comparison } from "./compare.ts";
import { claudeCodeVersion } from "./versions.ts";

/** What `HOOKLINE_INTEROP_RESULTS` names as a file gets every case with its comparison, for `npm run drift`. */
const results = process.env["HOOKLINE_INTEROP_RESULTS"];

/** Prints at the end how many cases agree, which depart, which were not run and which differ. */
export default class Summary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const cases: { name: string; comparison: Comparison }[] = [];
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { comparison } = test.meta();
        if (comparison) cases.push({ name: test.name, comparison });
      }
    }
    if (results !== undefined) writeFileSync(results, JSON.stringify({ client: claudeCodeVersion, cases }));
    if (cases.length > 0) process.stdout.write(`\n${tableOf(cases.map(({ comparison }) => comparison))}\n`);
  }
}

function tableOf(found: readonly Comparison[]): string {
  const departing = found.flatMap((one) => (one.kind === "departure" ? [one.name] : []));
  const count = (kind: Comparison["kind"]): string =>
    String(found.filter((one) => one.kind === kind).length).padStart(5);
  const names = [...new Set(departing)].sort();
  const reasons = found.flatMap((one) => (one.kind === "not-run" ? [one.why] : []));
  return [
    `${String(found.length).padStart(5)} cases through Claude Code ${claudeCodeVersion} and through Hookline`,
    `${count("agreement")} agreements`,
    `${count("departure")} declared departures of ${names.length} kinds`,
    ...names.map((name) => `${String(departing.filter((other) => other === name).length).padStart(9)} ${name}`),
    `${count("older-client")} where this client differs from newer ones, which Hookline follows`,
    `${count("not-run")} not run`,
    ...[...new Set(reasons)].map((why) => `${String(reasons.filter((one) => one === why).length).padStart(9)} ${why}`),
    `${count("difference")} differences`,
  ].join("\n");
}

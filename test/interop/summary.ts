import type { Reporter, TestModule } from "vitest/node";
import type { Comparison } from "./compare.ts";

/** Says at the end how many cases agree, which depart, and which differ. */
export default class Summary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const found: Comparison[] = [];
    for (const module of modules) {
      for (const { comparison } of [...module.children.allTests()].map((test) => test.meta())) {
        if (comparison) found.push(comparison);
      }
    }
    if (found.length > 0) process.stdout.write(`\n${tableOf(found)}\n`);
  }
}

function tableOf(found: readonly Comparison[]): string {
  const departing = found.flatMap((one) => (one.kind === "departure" ? [one.name] : []));
  const count = (kind: Comparison["kind"]): string =>
    String(found.filter((one) => one.kind === kind).length).padStart(5);
  const names = [...new Set(departing)].sort();
  return [
    `${String(found.length).padStart(5)} cases through the client and through Hookline`,
    `${count("agreement")} agreements`,
    `${count("departure")} declared departures of ${names.length} kinds`,
    ...names.map((name) => `${String(departing.filter((other) => other === name).length).padStart(9)} ${name}`),
    `${count("waiting")} waiting for something that is not built yet`,
    `${count("difference")} differences`,
  ].join("\n");
}

import type { AppWarning } from "../../sdk/index.ts";
import type { TestResult } from "../../sdk/testing/index.ts";

/** What happened to one event, as lines: every handler, then the answer as a host would get it. */
export function storyOf({ trace, stdout, stderr, exitCode, warnings }: TestResult): readonly string[] {
  const handlers = trace.flatMap(({ name, outcome, answers, error, stack, ms }) => {
    const said = answers?.length ? ` ${answers.join(", ")}` : "";
    const line = `${name}  ${outcome}${said}${error ? ` (${error})` : ""}, ${ms.toFixed(1)} ms`;
    return [line, ...(stack?.split("\n") ?? []).map((frame) => `    ${frame}`)];
  });
  const told = [stdout, stderr].map((text) => text.trimEnd()).filter((text) => text !== "");
  return [
    ...(handlers.length > 0 ? handlers : ["no handler is meant for it"]),
    ...warningLines(warnings),
    `exit ${exitCode}  ${told.join("  ") || "(no output)"}`,
  ];
}

/** A line per warning. A handler that failed has a line of its own already. */
export function warningLines(warnings: readonly AppWarning[]): readonly string[] {
  return warnings
    .filter(({ code }) => code !== "handler-failed")
    .map(({ code, message }) => `warning ${code}: ${message}`);
}

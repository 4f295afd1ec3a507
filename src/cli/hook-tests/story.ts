import type { TestResult } from "../../sdk/testing/index.ts";

/** What happened to one event, as lines: every handler, then the answer as a host would get it. */
export function storyOf({ trace, stdout, stderr, exitCode }: TestResult): readonly string[] {
  const handlers = trace.flatMap(({ name, outcome, answers, error, stack, ms }) => {
    const said = answers?.length ? ` ${answers.join(", ")}` : "";
    const line = `${name}  ${outcome}${said}${error ? ` (${error})` : ""}, ${ms.toFixed(1)} ms`;
    return [line, ...(stack?.split("\n") ?? []).map((frame) => `    ${frame}`)];
  });
  const told = [stdout, stderr].map((text) => text.trimEnd()).filter((text) => text !== "");
  return [
    ...(handlers.length > 0 ? handlers : ["no handler is meant for it"]),
    `exit ${exitCode}  ${told.join("  ") || "(no output)"}`,
  ];
}

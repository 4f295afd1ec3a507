/** One test of a program, as Node's own runner tells of it. */
export interface ProgramTest {
  readonly file: string;
  /** With the names of the tests and suites around it. */
  readonly name: string;
  readonly ok: boolean;
  readonly ms: number;
  readonly skipped?: true;
  readonly error?: string;
}

/**
 * A reporter for `node --test`: a line of JSON for every test, each a `ProgramTest`. What the programs print goes to stderr. It is text,
 * because the runner loads it from a file of its own.
 */
export const reporterSource = `export default async function* report(source) {
  const around = [];
  for await (const { type, data } of source) {
    if (type === "test:stdout" || type === "test:stderr") process.stderr.write(data.message);
    if (type === "test:start") {
      around.length = data.nesting;
      around.push(data.name);
    }
    if ((type !== "test:pass" && type !== "test:fail") || data.details.type === "suite") continue;
    const { error, duration_ms } = data.details;
    const ok = type === "test:pass" || data.todo !== undefined;
    const names = [...around.slice(0, data.nesting), data.name];
    yield JSON.stringify({
      file: data.file ?? data.name,
      name: names.join(" > "),
      ok,
      ms: duration_ms,
      ...(data.skip === undefined ? {} : { skipped: true }),
      ...(error === undefined ? {} : { error: String(error.cause?.message ?? error.cause ?? error.message) }),
    }) + "\\n";
  }
}
`;

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

/** How many tests the programs hold, and how many of them failed. */
export interface ProgramTotal {
  readonly tests: number;
  readonly failed: number;
}

/**
 * The same runner for people: what Node's own reporter shows, without its eight lines of figures. They leave out the cases, so the total
 * stands in a `ProgramTotal` beside the reporter, for the line that counts both.
 */
export const shownSource = `import { writeFileSync } from "node:fs";
import { Readable } from "node:stream";
import { spec } from "node:test/reporters";

const figures = /^(?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [0-9.]+$/;

export default async function* show(source) {
  let [tests, failed] = [0, 0];
  async function* events() {
    for await (const event of source) {
      const { type, data } = event;
      if ((type === "test:pass" || type === "test:fail") && data.details.type !== "suite") {
        tests++;
        if (type === "test:fail" && data.todo === undefined) failed++;
      }
      if (type !== "test:diagnostic" || data.nesting !== 0 || !figures.test(data.message)) yield event;
    }
  }
  yield* Readable.from(events()).pipe(new spec());
  writeFileSync(new URL("./total.json", import.meta.url), JSON.stringify({ tests, failed }));
}
`;

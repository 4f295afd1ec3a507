import { type TestResult, testClient } from "../../sdk/testing/index.ts";
import { faultsOf, type HookCase, readCases, sendCase, whyMistaken, whyUnknown } from "./cases.ts";

/** A case after it was tried. It holds when nothing is wrong with it. */
export interface Tried {
  readonly file: string;
  readonly name: string;
  readonly event: string;
  readonly faults: readonly string[];
  /** Missing when the event could not be sent. */
  readonly result?: TestResult;
}

/** One case after another, in the order of the files. Contract: all files are read before the first is tried. */
export async function* tryCases(files: readonly string[], app: unknown, cwd: string): AsyncGenerator<Tried> {
  const read = await Promise.all(
    files.map(async (file) => (await readCases(file)).map((hookCase) => ({ file, hookCase }))),
  );
  for (const { file, hookCase } of read.flat()) {
    const { name, event } = hookCase;
    yield { file, name, event, ...(await tryOne(hookCase, app, cwd)) };
  }
}

async function tryOne(one: HookCase, app: unknown, cwd: string): Promise<Pick<Tried, "faults" | "result">> {
  const wrong = whyMistaken(one) ?? whyUnknown(one.event, app);
  if (wrong !== undefined) return { faults: [wrong] };
  const result = await sendCase(one, testClient(app, { cwd }));
  return { faults: faultsOf(one, result), result };
}

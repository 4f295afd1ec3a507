import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take long though they are short. Vitest knows this only after a run on the same machine, and starts long files first. */
const slow = ["test/conformance/conformance.test.ts", "src/cli/commands/test.test.ts"];

/** Starts the slow files first, so that no worker runs one of them alone at the end. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification) => slow.some((name) => moduleId.endsWith(name));
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}

import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { missingPackageProblem, Problem } from "./problem.ts";

test("a package that is not installed is named, with the command that installs it", () => {
  const cause = importError("@nobody/has-this");
  expect(missingPackageProblem("@nobody/has-this", "This model", cause)).toEqual(
    new Problem(
      "package/missing",
      "This model needs the package @nobody/has-this, which is not installed. Install it with: npm install @nobody/has-this",
      { about: { package: "@nobody/has-this" }, cause },
    ),
  );
});

test("a package that is there but cannot find something else is not called missing", () => {
  const cause = importError("@nobody/has-this");
  expect(missingPackageProblem("other", "This model", cause)).toBe(cause);
  expect(missingPackageProblem("other", "This model", undefined)).toBe(undefined);
});

/** What Node itself says; a test runner's own loader words it otherwise. */
function importError(name: string): Error {
  const program = `import(${JSON.stringify(name)}).catch(({ code, message }) => console.log(JSON.stringify({ code, message })))`;
  const { code, message } = JSON.parse(execFileSync(process.execPath, ["-e", program], { encoding: "utf8" }));
  return Object.assign(new Error(message), { code });
}

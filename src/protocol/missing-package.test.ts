import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { loadPackage, Problem } from "./problem.ts";

test("a package that is not installed is named, with the command that installs it", async () => {
  const cause = importError("@nobody/has-this");
  await expect(loadPackage("@nobody/has-this", "This model", () => Promise.reject(cause))).rejects.toEqual(
    new Problem(
      "package/missing",
      "This model needs the package @nobody/has-this, which is not installed. Install it with: npm install @nobody/has-this",
      { about: { package: "@nobody/has-this" }, cause },
    ),
  );
});

test("an installed package that cannot find something else is not called missing", async () => {
  const cause = importError("@nobody/has-this");
  await expect(loadPackage("other", "This model", () => Promise.reject(cause))).rejects.toBe(cause);
  await expect(loadPackage("other", "This model", () => Promise.reject(undefined))).rejects.toBe(undefined);
});

/** What Node itself says; a test runner's own loader words it otherwise. */
function importError(name: string): Error {
  const program = `import(${JSON.stringify(name)}).catch(({ code, message }) => console.log(JSON.stringify({ code, message })))`;
  const { code, message } = JSON.parse(execFileSync(process.execPath, ["-e", program], { encoding: "utf8" }));
  return Object.assign(new Error(message), { code });
}

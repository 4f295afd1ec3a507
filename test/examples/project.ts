import { afterEach } from "vitest";
import { type TestProject, testProject } from "../../src/sdk/testing/index.ts";

const projects: TestProject[] = [];
afterEach(async () => {
  for (const project of projects.splice(0)) await project.remove();
});

/** A project that is deleted after the test, and the options of a client that works in it. */
export async function project(files: Readonly<Record<string, string>> = {}) {
  const made = await testProject(files);
  projects.push(made);
  const env = { PATH: process.env["PATH"], HOME: made.dir, CLAUDE_PROJECT_DIR: made.dir, GIT_CONFIG_NOSYSTEM: "1" };
  return { ...made, env, here: { cwd: made.dir } };
}

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { postgresTasks } from "./postgres-backend.ts";

test("the backend that the guide shows is this one, and it has the ten methods", () => {
  const shown = readFileSync(resolve("docs/task-backends.md"), "utf8");
  expect(shown).toContain(
    `\`\`\`ts postgres\n${readFileSync(join(import.meta.dirname, "postgres-backend.ts"), "utf8")}\`\`\``,
  );
  expect(Object.keys(postgresTasks({ query: async () => ({ rows: [] }) })).length).toBe(10);
});

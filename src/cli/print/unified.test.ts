import { expect, test } from "vitest";
import { unifiedDiff } from "./diff.ts";
import { styleFor } from "./terminal.ts";

const plain = styleFor({ terminal: { out: false, err: false, colour: false, columns: 80 } } as Parameters<
  typeof styleFor
>[0]);

test("a changed file is shown as a unified diff; a new or removed file is compared with nothing", () => {
  const before = "1\n2\n3\n4\n5\n";
  expect(unifiedDiff("a.json", before, "1\n2\n3\n4\n\tnew\u001b\n5\n", plain)).toBe(
    "--- a.json\n+++ a.json\n@@ -2,4 +2,5 @@\n 2\n 3\n 4\n+\tnew␛\n 5\n",
  );
  expect(unifiedDiff("a.json", null, "{}\n", plain)).toBe("--- /dev/null\n+++ a.json\n@@ -0,0 +1,1 @@\n+{}\n");
  expect(unifiedDiff("a.json", "{}\n", null, plain)).toBe("--- a.json\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-{}\n");
  expect(unifiedDiff("a.json", before, before, plain)).toBe("");
});

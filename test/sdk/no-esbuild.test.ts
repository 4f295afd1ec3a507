import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";

vi.mock("esbuild", () => {
  throw new Error("it is not installed");
});

test("without esbuild a .mjs file loads as it is; TypeScript that Node cannot read either says what to do", async () => {
  const { appInputs, loadApp } = await import("../../src/sdk/internal.ts");
  const folder = mkdtempSync(join(tmpdir(), "hookline-no-esbuild-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const put = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const options = { env: { HOOKLINE_HOME: join(folder, "state") }, cwd: folder };
  const app = `const inside = { marker: 1 };\nexport default { [Symbol.for("hookline.app")]: inside };\n`;
  expect(await loadApp(put("plain.mjs", app), options)).toEqual({ marker: 1 });
  const typed = put("typed.ts", app);
  expect(await appInputs(typed)).toEqual([typed]);
  const both = put("both.mjs", `import "./plain.mjs";\n`);
  expect(await appInputs(both)).toEqual([both, join(folder, "plain.mjs")]);
  if ((process.features as { typescript?: unknown }).typescript) return;
  await expect(loadApp(typed, options)).rejects.toMatchObject({
    code: "sdk/no-typescript",
    message: expect.stringContaining("Install esbuild, or write the file as .mjs."),
  });
});

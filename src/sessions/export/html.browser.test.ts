import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import chromium from "@sparticuz/chromium";
import { chromium as browsers } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { isMissing } from "../../../test/required.ts";
import { hostile } from "../fixtures/hostile.ts";
import { answer, prompt, result, toolUse, write } from "../fixtures/transcript.ts";
import { openSession } from "../session.ts";
import { exportSession } from "./export-session.ts";

const folder = mkdtempSync(join(tmpdir(), "hookline-browser-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** All hostile texts in one page: one start of the browser is enough. */
async function page(): Promise<string> {
  const lines = hostile.flatMap((of) => {
    const p = prompt(null, of, { cwd: of, gitBranch: of, version: of });
    const id = `t${hostile.indexOf(of)}`;
    const blocks = [{ type: "thinking", thinking: of }, { type: "text", text: of }, toolUse(id, of, { [of]: of })];
    const use = answer(p, blocks, { stop: "tool_use", model: of });
    return [
      p,
      use,
      result(use, id, [{ type: "text", text: of }]),
      { type: "custom-title", customTitle: of, sessionId: "s1" },
    ];
  });
  const chained = lines.map((line, index) => {
    const before = lines.slice(0, index).findLast((one) => "uuid" in one);
    return "uuid" in line ? { ...line, parentUuid: before?.["uuid"] ?? null } : line;
  });
  const session = await openSession(write(join(folder, "s1.jsonl"), chained));
  const html = await exportSession(session, "html", { agents: true, thinking: true, results: true });
  writeFileSync(join(folder, "page.html"), html);
  return pathToFileURL(join(folder, "page.html")).href;
}

const hasBrowser = process.platform === "linux" && process.arch === "x64";
const problem = hasBrowser ? undefined : "the packaged browser runs on Linux x64 only";

test.skipIf(isMissing("browser", problem))(
  "a page full of hostile texts opens no dialog, makes no request and breaks no rule of its own policy",
  async () => {
    const address = await page();
    const browser = await browsers.launch({ executablePath: await chromium.executablePath(), args: chromium.args });
    const seen = { dialogs: 0, requests: [] as string[], refused: [] as string[] };
    try {
      const tab = await browser.newPage();
      tab.on("dialog", (dialog) => {
        seen.dialogs++;
        void dialog.dismiss();
      });
      tab.on("request", (request) => seen.requests.push(request.url()));
      tab.on("console", (message) => seen.refused.push(message.text()));
      await tab.goto(address);
      for (const summary of await tab.locator("summary").all()) await summary.click();
      expect(await tab.locator("section.prompt").count()).toBe(hostile.length);
      expect(await tab.locator("script, iframe, form, svg, link, base, [onerror], [onload], [style]").count()).toBe(0);
    } finally {
      await browser.close();
    }
    expect(seen).toEqual({ dialogs: 0, requests: [address], refused: [] });
  },
);

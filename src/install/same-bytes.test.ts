import { readFileSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { settingsTexts } from "./fixtures/settings-texts.ts";
import { guard, stop, world } from "./fixtures/world.ts";
import { install } from "./install.ts";
import { uninstall } from "./uninstall.ts";

const runs = Number(process.env["HOOKLINE_RUNS"] ?? 60);

test(`SD-91 SD-96 H2: of ${runs} generated files each has its bytes back after install and uninstall, with a second install in between`, async () => {
  const { call, source } = world();
  const file = call().places.settingsFile;
  await fc.assert(
    fc.asyncProperty(settingsTexts(), fc.boolean(), async (text, again) => {
      writeFileSync(file, text);
      const first = await install(call());
      expect(first.settings.before).toBe(text);
      expect(readFileSync(file, "utf8")).not.toBe(text);
      if (again)
        await install(
          call({
            needs: [
              { ...guard, ids: ["PreToolUse"] },
              { ...stop, event: "SubagentStop" },
            ],
          }),
        );
      const { how } = await uninstall({ places: call().places, home: source(), now: new Date() });
      expect(how).toBe("restored");
      expect(readFileSync(file, "utf8")).toBe(text);
    }),
    { numRuns: runs },
  );
}, 600_000);

test(`SD-91 SD-96: the same where somebody else writes between install and uninstall: what they wrote stays, ours goes`, async () => {
  const { call, source } = world();
  const file = call().places.settingsFile;
  await fc.assert(
    fc.asyncProperty(settingsTexts(), async (text) => {
      writeFileSync(file, text);
      await install(call());
      const behind = readFileSync(file, "utf8");
      writeFileSync(file, `${behind}\n// theirs`);
      const { how } = await uninstall({ places: call().places, home: source(), now: new Date() });
      const left = readFileSync(file, "utf8");
      expect([how, left.endsWith("\n// theirs"), left.includes("hookline-client")]).toEqual(["cut", true, false]);
      expect(comparable(left)).toBe(comparable(`${text}\n// theirs`));
    }),
    { numRuns: runs / 2 },
  );
}, 600_000);

/** Without blanks: where a group stood the line may be laid out otherwise. */
function comparable(text: string): string {
  return text.replace(/\s/g, "");
}

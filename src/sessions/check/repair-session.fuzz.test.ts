import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sized } from "../../../test/size.ts";
import { quickFs } from "../../files/fixtures/faulty-fs.ts";
import { tempFolder } from "../../files/fixtures/temp-folder.ts";
import type { SessionPlace } from "../find/session-files.ts";
import { answered, nowhere, plain } from "../fixtures/damaged-session.ts";
import { answer, prompt, result, sidechain, toolUse, type Wire } from "../fixtures/transcript.ts";
import { callFingerprint } from "../keep/replace-session-files.ts";
import { sessionAt } from "../session.ts";
import { repairSession } from "./repair-session.ts";
import { validateSession } from "./validate-session.ts";

test("a session whose lines were changed in any way can be repaired and counts the same", async () => {
  const lines = [
    ...plain,
    prompt(answered, "again"),
    answer(answered, [toolUse("t2"), toolUse("t3")], { stop: "tool_use", usage: { output_tokens: 9 } }),
    sidechain("a1", prompt(null, "inside")),
    sidechain("a1", answer(null, "yes", { usage: { output_tokens: 2 } })),
  ];
  const last = lines[5] as Wire;
  lines.push(result(last, "t2"), result(last, "t3"), answer(last, "end"));
  const text = lines.map((line) => JSON.stringify(line));
  const uuids = lines.map((line) => String(line["uuid"]));
  const anyUuid = fc.constantFrom(...uuids, nowhere, "odd", "");
  const damage = fc.oneof(
    fc.record({ kind: fc.constant("cut" as const), at: fc.nat(text.length - 1), to: fc.nat(400) }),
    fc.record({ kind: fc.constant("drop" as const), at: fc.nat(text.length - 1) }),
    fc.record({ kind: fc.constant("twice" as const), at: fc.nat(text.length - 1) }),
    fc.record({ kind: fc.constant("swap" as const), at: fc.nat(text.length - 1), with: fc.nat(text.length - 1) }),
    fc.record({ kind: fc.constant("glue" as const), at: fc.nat(text.length - 1) }),
    fc.record({
      kind: fc.constant("field" as const),
      at: fc.nat(text.length - 1),
      name: fc.constantFrom("uuid", "parentUuid", "sessionId"),
      value: anyUuid,
    }),
    fc.record({
      kind: fc.constant("tool" as const),
      at: fc.nat(text.length - 1),
      from: fc.constantFrom("t1", "t2", "t3"),
      value: fc.constantFrom("t1", "t2", "t9"),
    }),
  );
  const root = await tempFolder();
  let n = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 5 }), fc.boolean(), async (damages, torn) => {
      const now = [...text];
      for (const one of damages) {
        const line = now[one.at] ?? "";
        if (one.kind === "cut") now[one.at] = line.slice(0, one.to);
        else if (one.kind === "drop") now[one.at] = "";
        else if (one.kind === "twice") now.push(line);
        else if (one.kind === "swap") [now[one.at], now[one.with]] = [now[one.with] ?? "", line];
        else if (one.kind === "glue") now[one.at] = `${line}${now[one.at + 1] ?? ""}`;
        else if (one.kind === "field")
          now[one.at] = line.replace(new RegExp(`"${one.name}":(?:"[^"]*"|null)`), `"${one.name}":"${one.value}"`);
        else now[one.at] = line.replaceAll(`"${one.from}"`, `"${one.value}"`);
      }
      n += 1;
      const folder = join(root, String(n), "projects", "-p");
      await mkdir(folder, { recursive: true });
      const file = join(folder, "s1.jsonl");
      await writeFile(file, now.join("\n") + (torn ? "" : "\n"));
      const place: SessionPlace = {
        id: "s1",
        root: { path: join(root, String(n)), origin: "client" },
        project: "-p",
        folder,
        file,
      };
      const before = callFingerprint(await sessionAt(place).load());
      const options = { env: { HOOKLINE_HOME: join(root, "state") }, inPlace: true, fs: quickFs };
      await repairSession(place, options);
      expect((await validateSession(place)).findings.filter(({ severity }) => severity === "error")).toEqual([]);
      expect(callFingerprint(await sessionAt(place).load())).toBe(before);
      expect(await repairSession(place, options)).toEqual({ mends: [] });
      await rm(join(root, String(n)), { recursive: true });
    }),
    { numRuns: sized(20, 1_000) },
  );
});

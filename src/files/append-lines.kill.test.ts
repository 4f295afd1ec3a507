import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { atEveryOperation, shortStride } from "./fixtures/faulty-fs.ts";
import { forgetfulFs } from "./fixtures/forgetful-fs.ts";
import { tempFolder } from "./fixtures/temp-folder.ts";
import { appendLines } from "./internal.ts";

test("after a cut at any byte of the last record, the stub stays as a line of its own and the next record is whole", async () => {
  const folder = await tempFolder();
  const path = join(folder, "log.jsonl");
  const first = '{"n":1}\n';
  const torn = Buffer.from(JSON.stringify({ n: 2, text: "ü".repeat(30) }));
  for (let cut = 0; cut <= torn.length; cut += 1) {
    const stub = torn.subarray(0, cut);
    await writeFile(path, Buffer.concat([Buffer.from(first), stub]));
    await appendLines(path, ['{"n":3}']);
    const close = cut === 0 ? "" : "\n";
    expect(await readFile(path)).toEqual(Buffer.concat([Buffer.from(first), stub, Buffer.from(`${close}{"n":3}\n`)]));
  }
});

test.each(["lost", "kept"] as const)(
  "a power cut at every operation (names %s) loses no durable record",
  async (names) => {
    await atEveryOperation(
      "kill",
      async (strike, k) => {
        const folder = await tempFolder();
        const forgetful = await forgetfulFs(folder);
        const { fs } = strike(forgetful.fs);
        const path = join(folder, "log.jsonl");
        const durable: string[] = [];
        for (const record of ["one", "two", "three"]) {
          const durably = record !== "two";
          await appendLines(path, [record], { fs, durable: durably }).then(
            () => durably && durable.push(record),
            () => undefined,
          );
        }
        await forgetful.cut(names);
        const text = await readFile(path, "utf8").catch(() => "");
        for (const record of durable)
          expect([k, text.split("\n").filter((line) => line === record)]).toEqual([k, [record]]);
        // A lock without content holds the next writer up for half a second: seen often enough at every eighth place.
        if (k % 8 !== 0) return;
        await appendLines(path, ["after"]);
        expect((await readFile(path, "utf8")).endsWith("after\n")).toBe(true);
      },
      shortStride,
    );
  },
);

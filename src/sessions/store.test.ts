import { lstat, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { tempFolder } from "../files/fixtures/temp-folder.ts";
import { readEntries } from "./entries.ts";
import type { Entry } from "./entry.ts";
import { putBack } from "./put-back.ts";
import { openStore } from "./store.ts";

async function entriesOf(file: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const batch of readEntries(file)) {
    for (const item of batch) {
      if (item.kind === "unreadable") throw new Error(`line ${item.line} is unreadable`);
      entries.push(item);
    }
  }
  return entries;
}

test("basic", async () => {
  const root = await tempFolder();
  const store = await openStore({ root, version: "1.2.3", now: () => 0 });
  const session = await store.open({ cwd: "/home/dev/project", gitBranch: "main" });
  const a = await session.append({ type: "user", message: { role: "user", content: "hi" } });
  await session.append({ type: "last-prompt", lastPrompt: "hi", leafUuid: a.uuid });
  const big = "é".repeat(40_000);
  const image = Buffer.alloc(100_000, 7).toString("base64");
  const draft = {
    type: "user",
    message: {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "t1", content: big },
        { type: "image", source: { type: "base64", media_type: "image/png", data: image } },
      ],
    },
    toolUseResult: { stdout: big },
  };
  const b = await session.append(draft);
  console.log(JSON.stringify(b.record).replace(/é+/g, "EE"));
  const back = await putBack(b.record, root, session.folder);
  expect(back.gaps).toEqual([]);
  expect(back.record["message"]).toEqual(draft.message);
  console.log((await entriesOf(session.file)).map((e) => e.kind));
  console.log(
    await readFile(session.file, "utf8").then((t) => t.split("\n").map((l) => l.length)),
    (await lstat(session.file)).mode.toString(8),
    session.tip === b.uuid,
  );
  await store.close();
});

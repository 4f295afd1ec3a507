import { rm, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { tempFolder } from "../../files/fixtures/temp-folder.ts";
import { entriesOf, said } from "../fixtures/store-entries.ts";
import { openStore } from "./session-store.ts";

test("an append fails with the owner of a lock that is not released", async () => {
  const store = await openStore({ root: await tempFolder(), version: "1" });
  const session = await store.open({ id: "11111111-1111-4111-8111-111111111111", cwd: "/home/dev/project" });
  await session.append(said("x"));
  await writeFile(
    `${session.file}.lock`,
    JSON.stringify({ pid: 1, start: "", host: "elsewhere", machine: "", boot: "", space: "", nonce: "0".repeat(32) }),
  );
  await expect(session.append(said("y"))).rejects.toMatchObject({
    code: "sessions/locked",
    message: expect.stringContaining("elsewhere"),
  });
  await rm(`${session.file}.lock`);
  await session.append(said("z"));
  expect((await entriesOf(session.file)).length).toBe(2);
});

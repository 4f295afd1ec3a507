import { stat } from "node:fs/promises";
import { unless } from "../files/index.ts";
import { readEntries } from "./entries.ts";

/** The uuid that a record appended to this file hangs on: its newest threaded entry, null when there is none. */
export async function tipOf(file: string): Promise<string | null> {
  if ((await unless(["ENOENT"], stat(file))) === undefined) return null;
  let tip: string | null = null;
  for await (const batch of readEntries(file)) {
    for (const item of batch) if ("uuid" in item && item.uuid) tip = item.uuid;
  }
  return tip;
}

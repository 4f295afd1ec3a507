import { closeSync, constants, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { messageOf, withoutSecrets } from "../../protocol/index.ts";
import { readPayload } from "../run/read-payload.ts";
import { makeFolder } from "./make-folder.ts";

/**
 * Keeps a payload as a fixture for tests: one line in a file per event, without what looks like a secret.
 * Contract: whole lines, many writers; what cannot be kept is told of and changes no answer.
 */
export function keepPayload(folder: string, text: string, complain: (line: string) => void): void {
  const payload = readPayload(text);
  if ("fault" in payload) {
    complain(`The payload was not kept: ${payload.fault}.`);
    return;
  }
  try {
    makeFolder(folder);
    const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
    const file = openSync(join(folder, `${nameOf(payload.value["hook_event_name"])}.jsonl`), flags, 0o600);
    try {
      writeSync(file, `${JSON.stringify(withoutSecrets(payload.value))}\n`);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    complain(`The payload was not kept in ${folder}: ${messageOf(error)}`);
  }
}

/** An event's name comes from outside; a file's name must not. */
function nameOf(event: unknown): string {
  return typeof event === "string" && /^[A-Za-z][A-Za-z0-9]{0,63}$/.test(event) ? event : "unknown";
}

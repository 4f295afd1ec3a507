import { createHash } from "node:crypto";

/** What bytes are known by, in names of files and in manifests. */
export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

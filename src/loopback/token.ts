import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** 256 random bits, harmless in a header, a URL and a shell. */
export function newToken(): string {
  return randomBytes(32).toString("hex");
}

/** Contract: takes the same time whatever the two have in common; their lengths are compared as digests. */
export function sameToken(given: string, own: string): boolean {
  return timingSafeEqual(digest(given), digest(own));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

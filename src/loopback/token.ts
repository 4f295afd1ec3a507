import { randomBytes, timingSafeEqual } from "node:crypto";

/** 256 random bits, harmless in a header, a URL and a shell. */
export function newToken(): string {
  return randomBytes(32).toString("hex");
}

/** Contract: takes the same time whatever the two have in common. How long a token is, everybody may know. */
export function sameToken(given: string, own: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(own)];
  return one.length === other.length && timingSafeEqual(one, other);
}

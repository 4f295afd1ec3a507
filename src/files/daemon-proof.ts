import { createHmac, timingSafeEqual } from "node:crypto";

/** The headers by which a caller of the daemon asks for a proof, and gets it. */
export const proofHeaders: { readonly challenge: "hookline-challenge"; readonly proof: "hookline-proof" } = {
  challenge: "hookline-challenge",
  proof: "hookline-proof",
};

/** Shows that whoever wrote this answer knows the secret of the daemon's record, without showing the secret. */
export function answerProof(secret: string, challenge: string, status: number, body: string): string {
  return createHmac("sha256", secret).update(`${challenge}\n${status}\n${body}`).digest("hex");
}

export function isAnswerProof(given: unknown, expected: string): boolean {
  const [one, other] = [Buffer.from(String(given)), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

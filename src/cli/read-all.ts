import type { Io } from "./command.ts";

/** Standard input to its end. */
export async function readAll(stdin: Io["stdin"]): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}

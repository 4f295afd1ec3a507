import type { Thread } from "./thread.ts";

/** A sentence in the transcript for whoever reads it later; the model is not told. Where it cannot be written, that is told. */
export function noteInTranscript({ journal, session }: Thread, content: string): void {
  journal
    .note({ type: "system", subtype: "informational", content, level: "info", isMeta: false })
    .catch((error: unknown) => {
      session.tell({ kind: "notice", text: `The transcript cannot be written: ${String(error)}`, level: "error" });
    });
}

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Puts the files of one case where transcripts lie. */
export function writeTrap(config, { files }) {
  for (const [name, lines] of Object.entries(files)) {
    const path = join(config, "projects", "-w", name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, lines.join("\n"));
  }
}

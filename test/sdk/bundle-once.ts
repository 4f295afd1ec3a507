import { existsSync, readdirSync, renameSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { withLock } from "../../src/files/internal.ts";

const root = resolve(import.meta.dirname, "../..");

/** The folder of a bundle of the sources of now. Later callers in the same run reuse it: it must not be changed. */
export async function bundleOnce(): Promise<string> {
  // The run's own temporary folder, see temp-folder.ts.
  const outdir = join(tmpdir(), `bundle-${newestIn(join(root, "src"))}`);
  const half = `${outdir}-half`;
  await withLock(
    outdir,
    async () => {
      if (existsSync(outdir)) return;
      const { bundle } = (await import(join(root, "scripts/build/bundle.mjs"))) as {
        bundle(outdir: string): Promise<void>;
      };
      await bundle(half);
      renameSync(half, outdir);
    },
    { waitMs: 60_000 },
  );
  return outdir;
}

/** When the newest file below the folder was changed. */
function newestIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return Math.max(...files.map((file) => statSync(join(folder, file)).mtimeMs));
}

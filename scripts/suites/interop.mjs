/**
 * `npm run test:interop [-- --client VERSION]`: the real client next to Hookline. VERSION is a release such as 2.1.197, or `latest`, which
 * asks the package registry; the default is the newest release proven, pinned in test/interop/clients.json. Other words go to vitest.
 */
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { clientOption } from "./client-version.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const { version, others } = clientOption(process.argv.slice(2));
process.stdout.write(`interop: Claude Code ${version}\n`);
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const { status } = spawnSync(
  process.execPath,
  [vitest, "run", "--config", "test/interop/vitest.config.ts", ...others],
  { cwd: root, stdio: "inherit", env: { ...process.env, HOOKLINE_CLIENT_VERSION: version } },
);
process.exit(status ?? 1);

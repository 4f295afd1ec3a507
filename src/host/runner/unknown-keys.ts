import { join } from "node:path";
import { readValue } from "../../engine/settings/index.ts";
import { settingsFields } from "../../protocol/index.ts";

/**
 * Keys of a folder's own settings of which nobody here knows what the agent does with them: some name programs that it starts (such as
 * `apiKeyHelper`), and nobody can have approved them. A file that cannot be read is a key as a whole.
 */
export async function unknownKeys(cwd: string): Promise<readonly string[]> {
  const files = ["settings.json", "settings.local.json"].map((name) => join(cwd, ".claude", name));
  const read = await Promise.all(files.map(async (file) => ({ file, found: await readValue(file) })));
  const keys = read.flatMap(({ file, found }) => {
    if (found.is === "missing") return [];
    return found.is === "read" ? Object.keys(Object(found.value)).filter((key) => !isKnown(key)) : [file];
  });
  return [...new Set(keys)];
}

/** What is approved entry by entry, and what only changes how an agent talks or looks. */
function isKnown(key: string): boolean {
  return Object.hasOwn(settingsFields, key) || harmless.has(key);
}

const harmless: ReadonlySet<string> = new Set([
  ...["$schema", "model", "language", "outputStyle", "alwaysThinkingEnabled", "cleanupPeriodDays", "respectGitignore"],
  ...["includeCoAuthoredBy", "attribution", "spinnerTipsEnabled", "companyAnnouncements"],
  // The servers themselves are approved one by one.
  ...["mcpServers", "enableAllProjectMcpServers", "enabledMcpjsonServers", "disabledMcpjsonServers"],
]);

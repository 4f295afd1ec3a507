import type { Incoming } from "./inbox.ts";
import type { BackgroundShell } from "./tools/background-shells.ts";

/** A background command ended: what the model is told of it. */
export function shellNews(shell: BackgroundShell): Incoming {
  const { id, toolUseId, outputPath, description, command } = shell;
  const code = shell.exitCode();
  const ended = code === undefined ? shell.status() : `${shell.status()} (exit code ${code})`;
  const content = `<task-notification>
<task-id>${id}</task-id>
<tool-use-id>${toolUseId}</tool-use-id>
<output-file>${outputPath}</output-file>
<status>${shell.status()}</status>
<summary>Background command "${description || command}" ${ended}</summary>
</task-notification>`;
  return { kind: "news", content, source: "system" };
}

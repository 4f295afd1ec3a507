import type { StopHooks } from "../../engine/index.ts";

/** `/stop-hook add COMMAND | list | remove N`: Stop hooks for this session, on the word of the person alone. */
export function stopHookCommand(hooks: StopHooks, args: string): string {
  const [, verb, rest = ""] = /^(\S+)(?:\s+([\s\S]*))?$/.exec(args) ?? [];
  const command = rest.trim();
  if (verb === "add" && command !== "") {
    hooks.add({ type: "command", command });
    return `Before a turn ends, this runs now: ${command}`;
  }
  if (verb === "remove") {
    const hook = hooks.list()[Number(command) - 1];
    if (hook === undefined) return `There is no stop hook ${command}. /stop-hook list shows those there are.`;
    hooks.remove(hook.id);
    return `Removed: ${hook.name}`;
  }
  if (verb !== undefined && verb !== "list")
    return "Say /stop-hook add COMMAND, /stop-hook list or /stop-hook remove N.";
  const lines = hooks.list().map(({ name }, index) => `${index + 1}  ${name}`);
  return lines.length === 0 ? "No stop hook was added in this session." : lines.join("\n");
}

import { Problem } from "../protocol/internal.ts";
import type { Call } from "./command-line/command.ts";

/** Refuses flags of `hookline agent` that would have no effect together: what is given is used, or refused by name. */
export function checkAgentFlags(call: Call, headless: boolean): void {
  const fault = faultIn(call, headless);
  if (fault !== undefined) throw new Problem("cli/usage", `${fault} See hookline agent --help.`);
}

function faultIn(call: Call, headless: boolean): string | undefined {
  const streams = call.text("output-format") === "stream-json";
  const takesStream = call.text("input-format") === "stream-json";
  const asks = call.text("permission-prompt-tool");
  if (call.flag("dangerously-skip-permissions") && (call.text("permission-mode") ?? bypass) !== bypass)
    return `--dangerously-skip-permissions contradicts --permission-mode ${call.text("permission-mode")}. Use one of them.`;
  if (asks !== undefined && asks !== "stdio")
    return `--permission-prompt-tool takes stdio, not "${asks}": this agent asks no other tool.`;
  if (!headless) {
    const useless = forPrint.find((name) => call.flag(name) || call.text(name) !== undefined);
    return useless === undefined ? undefined : `--${useless} works only with -p.`;
  }
  if (takesStream && !streams) return "--input-format stream-json needs --output-format stream-json.";
  if (takesStream && call.words.length > 0)
    return "With --input-format stream-json prompts come on standard input. Leave the prompt out.";
  if (asks !== undefined && !takesStream) return "--permission-prompt-tool stdio needs --input-format stream-json.";
  const partOfStream = (["include-hook-events", "include-partial-messages"] as const).find((name) => call.flag(name));
  return partOfStream === undefined || streams ? undefined : `--${partOfStream} needs --output-format stream-json.`;
}

const bypass = "bypassPermissions";
const forPrint = [
  ...(["output-format", "input-format", "permission-prompt-tool"] as const),
  ...(["include-hook-events", "include-partial-messages"] as const),
];

import type { AssistantEntry } from "../../model/entry.ts";

/** The line of a result that says its tool call was interrupted, with the envelope of the call's own line. */
export function interruptedResult(use: AssistantEntry, toolUseId: string, parentUuid: string, uuid: string): Buffer {
  const { isSidechain, agentId, timestamp, userType, entrypoint, cwd, sessionId, version, gitBranch } = use;
  const text = "[Request interrupted by user for tool use]";
  const record = {
    parentUuid,
    isSidechain,
    agentId,
    type: "user",
    message: {
      role: "user",
      content: [{ type: "tool_result", content: text, is_error: true, tool_use_id: toolUseId }],
    },
    uuid,
    timestamp,
    toolUseResult: `Error: ${text}`,
    sourceToolAssistantUUID: parentUuid,
    userType,
    entrypoint,
    cwd,
    sessionId,
    version,
    gitBranch,
  };
  return Buffer.from(JSON.stringify(record));
}

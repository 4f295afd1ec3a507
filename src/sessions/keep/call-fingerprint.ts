import type { SessionModel } from "../model/session-model.ts";

/**
 * The calls of a session with their tokens, as one text: equal for two versions of a session that count the same. Agents
 * that lie in another session's folder are left out, since a copy elsewhere does not see them.
 */
export function callsAndTokens(model: SessionModel): string {
  const borrowed = new Set(model.agents.flatMap(({ id, borrowedFrom }) => (borrowedFrom === undefined ? [] : [id])));
  const own = model.calls.filter(({ agentId }) => agentId === undefined || !borrowed.has(agentId));
  const lines = own.map(({ call }) => `${call.key} ${JSON.stringify(call.usage())}`);
  return lines.sort().join("\n");
}

/** One line of a transcript, spelled as Claude Code of that time spelled it. `who` is the envelope shared by a file's lines. */
export function assistantLine(who, call, { content, stop, output = call.parts[0].tokens.output, zero = false, index }) {
  const stopReason = stop === null ? "null" : `"${stop}"`;
  const named = who.era.modelFirst
    ? `"model":"${call.model}","id":"${call.id}","type":"message","role":"assistant"`
    : `"id":"${call.id}","type":"message","role":"assistant","model":"${call.model}"`;
  const usage = who.era.usage === "late" ? lateUsage(call, output, zero) : earlyUsage(who.era, call, output, zero);
  const tail = who.era.usage === "late" ? `,"stop_details":null` : "";
  const message = `{${named},"content":[${content}],"stop_reason":${stopReason},"stop_sequence":null,"usage":${usage}${tail}}`;
  const request = call.request === undefined ? "" : `,"requestId":"${call.request}"`;
  const extra = index !== undefined && who.era.blockIndex ? `,"apiBlockIndex":${index}` : "";
  const cost = call.written === undefined ? "" : `,"costUSD":${call.written / 1e7},"durationMs":1234`;
  return threaded(who, `"message":${message}${request}${extra}${cost}`, "assistant", { afterMessage: true });
}

function earlyUsage(era, call, output, zero) {
  const t = zero ? none : call.parts[0].tokens;
  const split = era.split
    ? `,"cache_creation":{"ephemeral_5m_input_tokens":${t.write5m},"ephemeral_1h_input_tokens":${t.write1h}}`
    : "";
  const geo = era.geo === undefined ? "" : `,"inference_geo":"${call.parts[0].geo}"`;
  return `{"input_tokens":${t.input},"cache_creation_input_tokens":${t.write5m + t.write1h},"cache_read_input_tokens":${t.read}${split},"output_tokens":${zero ? 0 : output},"service_tier":"standard"${geo}}`;
}

function lateUsage(call, output, zero) {
  const part = call.parts[0];
  const t = zero ? none : part.tokens;
  const thinking = t.thinking > 0 ? `,"output_tokens_details":{"thinking_tokens":${t.thinking}}` : "";
  const iterations = zero ? "[]" : `[${call.iterations.map(iteration).join(",")}]`;
  return (
    `{"input_tokens":${t.input},"cache_creation_input_tokens":${t.write5m + t.write1h},"cache_read_input_tokens":${t.read},"output_tokens":${zero ? 0 : output}${thinking}` +
    `,"server_tool_use":{"web_search_requests":${t.searches},"web_fetch_requests":0},"service_tier":"${part.tier}","cache_creation":{"ephemeral_1h_input_tokens":${t.write1h},"ephemeral_5m_input_tokens":${t.write5m}}` +
    `,"inference_geo":"${part.geo}","iterations":${iterations},"speed":"${part.speed}"}`
  );
}

const none = { input: 0, output: 0, write5m: 0, write1h: 0, read: 0, searches: 0, thinking: 0 };

function iteration({ type, model, input, output, write5m, write1h, read }) {
  return `{"input_tokens":${input},"output_tokens":${output},"cache_read_input_tokens":${read},"cache_creation_input_tokens":${write5m + write1h},"cache_creation":{"ephemeral_5m_input_tokens":${write5m},"ephemeral_1h_input_tokens":${write1h}},"type":"${type}"${model ? `,"model":"${model}"` : ""}}`;
}

export function userLine(who, content, { result = "" } = {}) {
  return threaded(who, `"message":{"role":"user","content":${content}}`, "user", { result });
}

/** An answer Claude Code made up: of an API error, or "No response requested." after a resume. */
export function syntheticLine(who, { error }) {
  const { random, at } = who;
  const usage = `{"input_tokens":0,"output_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"server_tool_use":{"web_search_requests":0,"web_fetch_requests":0},"service_tier":null,"cache_creation":{"ephemeral_1h_input_tokens":0,"ephemeral_5m_input_tokens":0},"inference_geo":null,"iterations":null,"speed":null}`;
  const message = `{"id":"${random.uuid()}","container":null,"model":"<synthetic>","role":"assistant","stop_details":null,"stop_reason":"stop_sequence","stop_sequence":"","type":"message","usage":${usage},"content":[{"type":"text","text":"${error ? "API Error: 529 Overloaded." : "No response requested."}"}],"context_management":null}`;
  const after = error ? `,"error":"server_error","isApiErrorMessage":true,"apiErrorStatus":529` : "";
  return `{${threadOf(who)},"type":"assistant","uuid":"${nextUuid(who)}","timestamp":"${stamp(at())}","message":${message}${after},${envelope(who)}}`;
}

/** What an older client copied of an agent's answer into the main file. */
export function progressLine(who, inner, agentId) {
  return threaded(
    who,
    `"data":{"message":${inner},"type":"agent_progress","prompt":"go","agentId":"${agentId}"},"toolUseID":"agent_${agentId}"`,
    "progress",
    {},
  );
}

export function attachmentLine(who, text) {
  return threaded(
    who,
    `"attachment":{"type":"hook_success","hookName":"PreToolUse:Bash","toolUseID":"toolu_x","hookEvent":"PreToolUse","content":"${text}","stdout":"${text}","stderr":"","exitCode":0}`,
    "attachment",
    { afterMessage: true },
  );
}

export function boundaryLine(who) {
  const { random, at } = who;
  who.parent = null;
  return `{"parentUuid":null,"logicalParentUuid":"${random.uuid()}","isSidechain":false,"type":"system","subtype":"compact_boundary","content":"Conversation compacted","isMeta":false,"timestamp":"${stamp(at())}","uuid":"${nextUuid(who)}","level":"info","compactMetadata":{"trigger":"auto","preTokens":155000},${envelope(who)}}`;
}

export function bareLine(who, type, fields) {
  return `{"type":"${type}",${fields}"sessionId":"${who.session}"}`;
}

/** The same value with blanks in it, as another program would print it. */
export function respaced(line) {
  return JSON.stringify(JSON.parse(line), null, 1).replace(/\n */g, " ");
}

function threaded(who, body, type, { afterMessage = false, result = "" }) {
  const thread = threadOf(who);
  const when = `"uuid":"${nextUuid(who)}","timestamp":"${stamp(who.at())}"`;
  const middle = afterMessage ? `${body},"type":"${type}"` : `"type":"${type}",${body}`;
  if (who.era.envelopeFirst) return `{${thread},${envelope(who)},${middle},${when}${result}}`;
  return `{${thread},${middle},${when}${result},${envelope(who)}}`;
}

function threadOf({ parent, sidechain, agent, forkedFrom }) {
  const agentId = agent === undefined ? "" : `,"agentId":"${agent}"`;
  const fork = forkedFrom === undefined ? "" : `,"forkedFrom":${forkedFrom}`;
  return `"parentUuid":${parent === null ? "null" : `"${parent}"`},"isSidechain":${sidechain}${fork}${agentId}`;
}

function envelope({ era, cwd, session, slug }) {
  const entry = era.entrypoint ? `"entrypoint":"cli",` : "";
  const slugged = slug === undefined ? "" : `,"slug":"${slug}"`;
  return `"userType":"external",${entry}"cwd":"${cwd}","sessionId":"${session}","version":"${era.version}","gitBranch":"main"${slugged}`;
}

function nextUuid(who) {
  who.parent = who.random.uuid();
  return who.parent;
}

export const stamp = (at) => new Date(at).toISOString();

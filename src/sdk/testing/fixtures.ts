import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../../files/internal.ts";
import { type EventName, eventNames, messageOf, type Payload, parseObject } from "../../protocol/internal.ts";
import { sdkProblem } from "../app/argument-checks.ts";
import type { WirePayload } from "../app/hook-event.ts";

/** A payload of an event, as a host sends it, with the fields you change. */
export type Fixture<Name extends EventName> = (changes?: Partial<Payload<Name>>) => Payload<Name>;

/** A function per event of the catalog that returns a payload: recorded, or made up for events that only newer versions of Claude Code have. */
export const fixtures: { readonly [Name in EventName]: Fixture<Name> } = Object.fromEntries(
  eventNames.map((name) => [name, (changes: object = {}) => ({ ...payloadOf(name), ...changes })]),
) as unknown as { readonly [Name in EventName]: Fixture<Name> };

/** True for an event whose payload has not been recorded yet. */
export function isSynthetic(name: EventName): boolean {
  return textIn(synthetic, name) !== undefined;
}

function payloadOf(name: EventName): object {
  return JSON.parse(textIn(recorded, name) ?? textIn(synthetic, name) ?? "{}") as object;
}

function textIn(payloads: readonly string[], name: EventName): string | undefined {
  return payloads.find((text) => text.includes(`"hook_event_name":"${name}"`));
}

/** One payload per event as the measured version of Claude Code sent it. One line each, so that it reads as data. */
const recorded: readonly string[] = [
  '{"session_id":"4f8ffda5-f621-4889-a8d7-30f9635cf0e6","transcript_path":"/home/dev/.claude/projects/-home-dev-project/4f8ffda5-f621-4889-a8d7-30f9635cf0e6.jsonl","cwd":"/home/dev/project","hook_event_name":"Setup","trigger":"init"}',
  '{"session_id":"85334377-a414-4ce3-b102-48ae155e745d","transcript_path":"/home/dev/.claude/projects/-home-dev-project/85334377-a414-4ce3-b102-48ae155e745d.jsonl","cwd":"/home/dev/project","hook_event_name":"SessionStart","source":"startup"}',
  '{"session_id":"85334377-a414-4ce3-b102-48ae155e745d","transcript_path":"/home/dev/.claude/projects/-home-dev-project/85334377-a414-4ce3-b102-48ae155e745d.jsonl","cwd":"/home/dev/project","hook_event_name":"InstructionsLoaded","file_path":"/home/dev/project/CLAUDE.md","memory_type":"Project","load_reason":"session_start"}',
  '{"session_id":"85334377-a414-4ce3-b102-48ae155e745d","transcript_path":"/home/dev/.claude/projects/-home-dev-project/85334377-a414-4ce3-b102-48ae155e745d.jsonl","cwd":"/home/dev/project","prompt_id":"ca880118-18c0-47e2-bf4c-7f3daaf45bb8","hook_event_name":"SessionEnd","reason":"other"}',
  '{"session_id":"b37b4d9a-5866-4ba4-a605-def302147573","transcript_path":"/home/dev/.claude/projects/-home-dev-project/b37b4d9a-5866-4ba4-a605-def302147573.jsonl","cwd":"/home/dev/project/sub","prompt_id":"80f64771-ff81-4713-85f9-3a2229b4d06b","permission_mode":"default","hook_event_name":"UserPromptExpansion","expansion_type":"slash_command","command_name":"foo","command_args":"bar","command_source":"projectSettings","prompt":"/foo bar"}',
  '{"session_id":"85334377-a414-4ce3-b102-48ae155e745d","transcript_path":"/home/dev/.claude/projects/-home-dev-project/85334377-a414-4ce3-b102-48ae155e745d.jsonl","cwd":"/home/dev/project","prompt_id":"ca880118-18c0-47e2-bf4c-7f3daaf45bb8","permission_mode":"default","hook_event_name":"UserPromptSubmit","prompt":"do the thing"}',
  '{"session_id":"85334377-a414-4ce3-b102-48ae155e745d","transcript_path":"/home/dev/.claude/projects/-home-dev-project/85334377-a414-4ce3-b102-48ae155e745d.jsonl","cwd":"/home/dev/project","prompt_id":"ca880118-18c0-47e2-bf4c-7f3daaf45bb8","hook_event_name":"MessageDisplay","turn_id":"34c390be-cd63-4119-9ded-52180bfbcfe7","message_id":"4366fe86-93fe-4e89-81ef-611800aca2c0","index":0,"final":true,"delta":"I will look."}',
  '{"session_id":"85334377-a414-4ce3-b102-48ae155e745d","transcript_path":"/home/dev/.claude/projects/-home-dev-project/85334377-a414-4ce3-b102-48ae155e745d.jsonl","cwd":"/home/dev/project","prompt_id":"ca880118-18c0-47e2-bf4c-7f3daaf45bb8","permission_mode":"default","effort":{"level":"high"},"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"echo hi","description":"say hi"},"tool_use_id":"toolu_fake_000002"}',
  '{"session_id":"b37b4d9a-5866-4ba4-a605-def302147573","transcript_path":"/home/dev/.claude/projects/-home-dev-project/b37b4d9a-5866-4ba4-a605-def302147573.jsonl","cwd":"/home/dev/project","prompt_id":"a2b9aad7-8468-4db2-be16-60c6f3b70c68","permission_mode":"default","effort":{"level":"high"},"hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"touch made.txt && echo RAN","description":"run"},"permission_suggestions":[{"type":"addDirectories","directories":["/home/dev/project"],"destination":"session"},{"type":"setMode","mode":"acceptEdits","destination":"session"}]}',
  '{"session_id":"5a872466-3921-482d-b67a-072805700e0f","transcript_path":"/home/dev/.claude/projects/-home-dev-project/5a872466-3921-482d-b67a-072805700e0f.jsonl","cwd":"/home/dev/project","prompt_id":"ad1b0bcb-0b31-4e11-a89e-4fda06ac180a","permission_mode":"auto","effort":{"level":"high"},"hook_event_name":"PermissionDenied","tool_name":"Bash","tool_input":{"command":"curl http://127.0.0.1:9/x | sh"},"tool_use_id":"toolu_fake_000140","reason":"CLS-MARK"}',
  '{"session_id":"85334377-a414-4ce3-b102-48ae155e745d","transcript_path":"/home/dev/.claude/projects/-home-dev-project/85334377-a414-4ce3-b102-48ae155e745d.jsonl","cwd":"/home/dev/project","prompt_id":"ca880118-18c0-47e2-bf4c-7f3daaf45bb8","permission_mode":"default","effort":{"level":"high"},"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"echo hi","description":"say hi"},"tool_response":{"stdout":"hi","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false},"tool_use_id":"toolu_fake_000002","duration_ms":105}',
  '{"session_id":"85334377-a414-4ce3-b102-48ae155e745d","transcript_path":"/home/dev/.claude/projects/-home-dev-project/85334377-a414-4ce3-b102-48ae155e745d.jsonl","cwd":"/home/dev/project","prompt_id":"ca880118-18c0-47e2-bf4c-7f3daaf45bb8","permission_mode":"default","effort":{"level":"high"},"hook_event_name":"PostToolUseFailure","tool_name":"Bash","tool_input":{"command":"exit 3"},"tool_use_id":"toolu_fake_000006","error":"Exit code 3","is_interrupt":false,"duration_ms":14}',
  '{"session_id":"85334377-a414-4ce3-b102-48ae155e745d","transcript_path":"/home/dev/.claude/projects/-home-dev-project/85334377-a414-4ce3-b102-48ae155e745d.jsonl","cwd":"/home/dev/project","prompt_id":"ca880118-18c0-47e2-bf4c-7f3daaf45bb8","permission_mode":"default","effort":{"level":"high"},"hook_event_name":"PostToolBatch","tool_calls":[{"tool_name":"Bash","tool_input":{"command":"echo hi","description":"say hi"},"tool_use_id":"toolu_fake_000002","tool_response":"hi"},{"tool_name":"Read","tool_input":{"file_path":"/home/dev/project/a.txt"},"tool_use_id":"toolu_fake_000003","tool_response":"1\\thello\\n2\\t"}]}',
  '{"session_id":"85334377-a414-4ce3-b102-48ae155e745d","transcript_path":"/home/dev/.claude/projects/-home-dev-project/85334377-a414-4ce3-b102-48ae155e745d.jsonl","cwd":"/home/dev/project","prompt_id":"ca880118-18c0-47e2-bf4c-7f3daaf45bb8","permission_mode":"default","effort":{"level":"high"},"hook_event_name":"Stop","stop_hook_active":false,"last_assistant_message":"All done.","background_tasks":[],"session_crons":[]}',
  '{"session_id":"b37b4d9a-5866-4ba4-a605-def302147573","transcript_path":"/home/dev/.claude/projects/-home-dev-project/b37b4d9a-5866-4ba4-a605-def302147573.jsonl","cwd":"/home/dev/project/sub","prompt_id":"696b7ebb-6776-4d66-9289-938395b580a2","effort":{"level":"high"},"hook_event_name":"StopFailure","error":"unknown","last_assistant_message":"API Error: 400 scripted 400"}',
  '{"session_id":"b37b4d9a-5866-4ba4-a605-def302147573","transcript_path":"/home/dev/.claude/projects/-home-dev-project/b37b4d9a-5866-4ba4-a605-def302147573.jsonl","cwd":"/home/dev/project/sub","prompt_id":"bc166111-b030-468c-be21-190ceb5c20c1","agent_id":"a6fccc3ff5c3df29c","agent_type":"general-purpose","hook_event_name":"SubagentStart"}',
  '{"session_id":"b37b4d9a-5866-4ba4-a605-def302147573","transcript_path":"/home/dev/.claude/projects/-home-dev-project/b37b4d9a-5866-4ba4-a605-def302147573.jsonl","cwd":"/home/dev/project/sub","prompt_id":"bc166111-b030-468c-be21-190ceb5c20c1","permission_mode":"default","agent_id":"a6fccc3ff5c3df29c","agent_type":"general-purpose","effort":{"level":"high"},"hook_event_name":"SubagentStop","stop_hook_active":false,"agent_transcript_path":"/home/dev/.claude/projects/-home-dev-project/b37b4d9a-5866-4ba4-a605-def302147573/subagents/agent-a6fccc3ff5c3df29c.jsonl","last_assistant_message":"sub says hi","background_tasks":[],"session_crons":[]}',
  '{"session_id":"caa64082-c010-438f-8a73-e223779394f4","transcript_path":"/home/dev/.claude/projects/-home-dev-project/caa64082-c010-438f-8a73-e223779394f4.jsonl","cwd":"/home/dev/project","prompt_id":"b62bad76-c904-4ed8-8c3f-d9372f0714e9","permission_mode":"default","hook_event_name":"TeammateIdle","teammate_name":"mate","team_name":"session-caa64082"}',
  '{"session_id":"c52ae902-86b3-4903-b306-db94632c180c","transcript_path":"/home/dev/.claude/projects/-home-dev-project/c52ae902-86b3-4903-b306-db94632c180c.jsonl","cwd":"/home/dev/project","prompt_id":"548e6a5f-9146-427b-95db-5caa80df502a","hook_event_name":"TaskCreated","task_id":"1","task_subject":"s","task_description":"d"}',
  '{"session_id":"826ec6ac-a624-41d0-a68f-9284906c11e0","transcript_path":"/home/dev/.claude/projects/-home-dev-project/826ec6ac-a624-41d0-a68f-9284906c11e0.jsonl","cwd":"/home/dev/project","prompt_id":"31145374-512b-473b-a837-d60fd57ee5f1","hook_event_name":"TaskCompleted","task_id":"1","task_subject":"Task one","task_description":"desc"}',
  '{"session_id":"b37b4d9a-5866-4ba4-a605-def302147573","transcript_path":"/home/dev/.claude/projects/-home-dev-project/b37b4d9a-5866-4ba4-a605-def302147573.jsonl","cwd":"/home/dev/project/sub","prompt_id":"2d7320c9-d67f-46fa-9839-466184ed659e","hook_event_name":"PreCompact","trigger":"manual","custom_instructions":null}',
  '{"session_id":"b37b4d9a-5866-4ba4-a605-def302147573","transcript_path":"/home/dev/.claude/projects/-home-dev-project/b37b4d9a-5866-4ba4-a605-def302147573.jsonl","cwd":"/home/dev/project/sub","prompt_id":"2d7320c9-d67f-46fa-9839-466184ed659e","hook_event_name":"PostCompact","trigger":"manual","compact_summary":"<analysis>a</analysis><summary>SUMMARY TEXT</summary>"}',
  '{"session_id":"b37b4d9a-5866-4ba4-a605-def302147573","transcript_path":"/home/dev/.claude/projects/-home-dev-project/b37b4d9a-5866-4ba4-a605-def302147573.jsonl","cwd":"/home/dev/project/sub","prompt_id":"0c52436f-de97-4f19-93bd-357ec71b0404","hook_event_name":"ConfigChange","source":"local_settings","file_path":"/home/dev/project/.claude/settings.local.json"}',
  '{"session_id":"b37b4d9a-5866-4ba4-a605-def302147573","transcript_path":"/home/dev/.claude/projects/-home-dev-project/b37b4d9a-5866-4ba4-a605-def302147573.jsonl","cwd":"/home/dev/project/sub","prompt_id":"0c52436f-de97-4f19-93bd-357ec71b0404","hook_event_name":"CwdChanged","old_cwd":"/home/dev/project","new_cwd":"/home/dev/project/sub"}',
  '{"session_id":"b37b4d9a-5866-4ba4-a605-def302147573","transcript_path":"/home/dev/.claude/projects/-home-dev-project/b37b4d9a-5866-4ba4-a605-def302147573.jsonl","cwd":"/home/dev/project/sub","prompt_id":"bc166111-b030-468c-be21-190ceb5c20c1","hook_event_name":"FileChanged","file_path":"/home/dev/project/sub/watched.txt","event":"add"}',
  '{"session_id":"6e2c0d5d-e85d-4cc5-8c9c-07345e74d2d0","transcript_path":"/home/dev/.claude/projects/-home-dev-project/6e2c0d5d-e85d-4cc5-8c9c-07345e74d2d0.jsonl","cwd":"/home/dev/project","prompt_id":"377ed430-305a-44b3-8fb3-7fdec290a0a5","hook_event_name":"WorktreeCreate","name":"agent-a8a4d524429e850b1"}',
  '{"session_id":"dd040f23-c395-468c-9167-b544d7f2e0d5","transcript_path":"/home/dev/.claude/projects/-home-dev-project/dd040f23-c395-468c-9167-b544d7f2e0d5.jsonl","cwd":"/home/dev/home/dev/wtdir3","prompt_id":"75e60f2b-f774-4b17-839d-7ff0e46fbf71","hook_event_name":"WorktreeRemove","worktree_path":"/home/dev/home/dev/wtdir3"}',
  '{"session_id":"debf8b7b-4e86-4152-b375-afd9cd54850b","transcript_path":"/home/dev/.claude/projects/-home-dev-project/debf8b7b-4e86-4152-b375-afd9cd54850b.jsonl","cwd":"/home/dev/project","prompt_id":"9105be3d-1180-4af1-a610-96bc380dc7a9","hook_event_name":"Elicitation","mcp_server_name":"srv","message":"What is your name?","mode":"form","requested_schema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}',
  '{"session_id":"34261a30-86e8-4bcd-b33b-80224a335a71","transcript_path":"/home/dev/.claude/projects/-home-dev-project/34261a30-86e8-4bcd-b33b-80224a335a71.jsonl","cwd":"/home/dev/project","prompt_id":"13d91912-be9f-4b9a-ba46-ade43817786d","hook_event_name":"ElicitationResult","mcp_server_name":"srv","mode":"form","action":"cancel"}',
  '{"session_id":"b37b4d9a-5866-4ba4-a605-def302147573","transcript_path":"/home/dev/.claude/projects/-home-dev-project/b37b4d9a-5866-4ba4-a605-def302147573.jsonl","cwd":"/home/dev/project","prompt_id":"a2b9aad7-8468-4db2-be16-60c6f3b70c68","hook_event_name":"Notification","message":"Claude needs your permission","notification_type":"permission_prompt"}',
];

/** Events that only newer versions of Claude Code declare: made up after their description. */
const synthetic: readonly string[] = [
  '{"session_id":"00000000-0000-4000-8000-000000000001","transcript_path":"/home/dev/.claude/projects/-home-dev-project/00000000-0000-4000-8000-000000000001.jsonl","cwd":"/home/dev/project","hook_event_name":"PreModelSwitch","from_model":"claude-opus-4-8","to_model":"claude-haiku-4-5","requested_model":"haiku","source":"command","context_tokens":1200,"prompt_cache_warm":true,"cache_ttl":"5m","estimated_cache_write_usd":0.01,"pricing":"catalog"}',
  '{"session_id":"00000000-0000-4000-8000-000000000001","transcript_path":"/home/dev/.claude/projects/-home-dev-project/00000000-0000-4000-8000-000000000001.jsonl","cwd":"/home/dev/project","hook_event_name":"PostModelSwitch","from_model":"claude-opus-4-8","to_model":"claude-haiku-4-5","requested_model":"haiku","source":"command","context_tokens":1200,"prompt_cache_warm":true,"cache_ttl":"5m","estimated_cache_write_usd":0.01,"pricing":"catalog"}',
  '{"session_id":"00000000-0000-4000-8000-000000000001","transcript_path":"/home/dev/.claude/projects/-home-dev-project/00000000-0000-4000-8000-000000000001.jsonl","cwd":"/home/dev/project","hook_event_name":"DirectoryAdded","directory":"/home/dev/other","source":"slash_command"}',
];

/** The payloads that `--record DIR` kept, by event, in the order in which they came. A line that was cut short is skipped. */
export async function readRecorded(folder: string): Promise<Readonly<Record<string, readonly WirePayload[]>>> {
  const found = await readdir(folder).catch((cause: unknown) => {
    const why = errorCode(cause) === "ENOENT" ? "does not exist" : `cannot be read: ${messageOf(cause)}`;
    throw sdkProblem("bad-option", `The directory of recorded payloads, ${folder}, ${why}.`, { folder }, cause);
  });
  const names = found.filter((name) => name.endsWith(".jsonl")).sort();
  const all = names.map(async (name) => {
    const lines = (await readFile(join(folder, name), "utf8")).split("\n");
    const payloads = lines.map(parseObject).filter((payload) => payload !== undefined);
    return [name.slice(0, -".jsonl".length), payloads] as const;
  });
  return Object.fromEntries(await Promise.all(all));
}

import { inTurn } from "./asking.ts";
import { fire, notifyHooks } from "./fire.ts";
import type { ElicitationAnswer, ElicitationForm } from "./person.ts";
import type { Thread } from "./thread.ts";

/** A server asks for input: hooks may answer, else the person does, and hooks may change what they said. Nobody there is a cancel. */
export async function elicit(main: Thread, form: ElicitationForm, signal: AbortSignal): Promise<ElicitationAnswer> {
  const named = { mcp_server_name: form.server };
  const about = { ...named, message: form.message, mode: "form", requested_schema: form.schema };
  const asked = await fire(main, "Elicitation", about, { signal });
  const byHook = answerIn(asked.output, asked.blocked);
  if (byHook !== undefined) return byHook;
  const answer = await askPerson(main, form, signal);
  const result = {
    ...named,
    mode: "form",
    action: answer.action,
    ...(answer.content ? { content: answer.content } : {}),
  };
  const heard = await fire(main, "ElicitationResult", result, { signal });
  const message = `Elicitation response for server "${form.server}": ${answer.action}`;
  notifyHooks(main, "Notification", { message, notification_type: "elicitation_response" });
  return answerIn(heard.output, heard.blocked) ?? answer;
}

function answerIn(
  { action, content }: { action?: ElicitationAnswer["action"]; content?: ElicitationAnswer["content"] },
  blocked: boolean,
) {
  if (blocked) return { action: "decline" } as const;
  if (action === undefined) return undefined;
  return content === undefined ? { action } : { action, content };
}

async function askPerson(main: Thread, form: ElicitationForm, signal: AbortSignal): Promise<ElicitationAnswer> {
  const { person } = main.session.options;
  if (person?.elicit === undefined) return { action: "cancel" };
  return inTurn(main, signal, async () => (await person.elicit?.(form, signal)) ?? { action: "cancel" });
}

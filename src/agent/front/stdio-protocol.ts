import { randomUUID } from "node:crypto";
import { createInterface, type Interface } from "node:readline";
import { messageOf, type PermissionUpdate, parseObject, type ToolInput } from "../../protocol/internal.ts";
import type { AgentControl } from "../session/session-control.ts";
import { toolSummary } from "../tools/tool.ts";
import type { UserPort } from "../turn/ask-user.ts";
import { type Ask, handleControlRequest, isBlocks } from "./control-requests.ts";
import type { FrontIo } from "./front-io.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The program at the other end of stdin and stdout: it sends prompts and requests, and answers ours. */
export interface Protocol {
  /** Serves requests and prompts; resolves when the session may begin. */
  serve(control: AgentControl): Promise<void>;
  readonly person: UserPort;
  /**
   * Forms of servers alone. A program that has sent no request of its own may know none, and would never answer one: for it the form
   * is cancelled.
   */
  readonly forms: UserPort;
  close(): void;
}

export function openProtocol(stdin: FrontIo["stdin"], send: (line: Fields) => void): Protocol {
  const waiting = new Map<string, (answer: { value?: unknown; error?: string }) => void>();
  let reader: Interface | undefined;
  let takesRequests = false;
  let gone = false;

  /** Sends a request. Rejects when the other end refuses it, closes its side, or the signal is aborted. */
  function request(subtype: string, fields: Fields, signal: AbortSignal): Promise<unknown> {
    const request_id = randomUUID();
    return new Promise((done, fail) => {
      // An aborted signal fires no event.
      if (signal.aborted) return fail(signal.reason);
      if (gone) return fail(new Error(otherEndClosed));
      const settle = (answer: { value?: unknown; error?: string }): void => {
        waiting.delete(request_id);
        signal.removeEventListener("abort", cancel);
        if (answer.error === undefined) done(answer.value);
        else fail(new Error(answer.error));
      };
      const cancel = (): void => {
        send({ type: "control_cancel_request", request_id });
        waiting.delete(request_id);
        fail(signal.reason);
      };
      waiting.set(request_id, settle);
      signal.addEventListener("abort", cancel, { once: true });
      send({ type: "control_request", request_id, request: { subtype, ...fields } });
    });
  }

  function answer(request_id: unknown, outcome: Fields): void {
    send({ type: "control_response", response: { request_id, ...outcome } });
  }

  async function answerRequest(control: AgentControl, id: unknown, asked: Fields): Promise<void> {
    try {
      const response = await handleControlRequest(control, asked, request);
      answer(id, { subtype: "success", ...(response === undefined ? {} : { response }) });
    } catch (error) {
      answer(id, { subtype: "error", error: messageOf(error) });
    }
  }

  const sendError = (error: string): void => send({ type: "control_response", response: { subtype: "error", error } });

  function handleLine(control: AgentControl, line: Fields): Promise<void> | undefined {
    if (line["type"] === "user") {
      const { content } = (line["message"] ?? {}) as { content?: unknown };
      if (typeof content === "string" || isBlocks(content)) control.prompt(content);
      else sendError(`a user message without content: ${JSON.stringify(line).slice(0, 80)}`);
    } else if (line["type"] === "control_request") {
      takesRequests = true;
      return answerRequest(control, line["request_id"], (line["request"] ?? {}) as Fields);
    } else if (line["type"] === "control_response") {
      const { request_id, subtype, response, error } = (line["response"] ?? {}) as Fields;
      const settle = waiting.get(String(request_id));
      settle?.(subtype === "error" ? { error: String(error) } : { value: response });
    }
    return undefined;
  }

  const person = userOverProtocol(request);
  return {
    serve(control) {
      // Opened only now: what it reads before somebody listens is lost.
      const lines = createInterface({ input: stdin, crlfDelay: Number.POSITIVE_INFINITY });
      reader = lines;
      return new Promise((begin) => {
        lines.on("line", (text) => {
          const line = parseObject(text);
          if (line === undefined) sendError(`not a JSON object: ${text.slice(0, 80)}`);
          else void Promise.resolve(handleLine(control, line)).then(begin);
        });
        lines.once("close", () => {
          gone = true;
          for (const settle of waiting.values()) settle({ error: otherEndClosed });
          control.end();
          begin();
        });
      });
    },
    person,
    forms: {
      elicit: async (form, signal) => (takesRequests && (await person.elicit?.(form, signal))) || { action: "cancel" },
    },
    close: () => reader?.close(),
  };
}

const otherEndClosed = "the other end has closed its side";

/** The program answers in place of the user. An error or a closed connection is a refusal. */
function userOverProtocol(ask: Ask): UserPort {
  async function put(subtype: string, fields: Fields, signal: AbortSignal): Promise<Fields> {
    try {
      return ((await ask(subtype, fields, signal)) ?? {}) as Fields;
    } catch (error) {
      if (signal.aborted) throw error;
      return { message: messageOf(error) };
    }
  }

  return {
    async permission({ tool, input, toolUseId, suggestions, reason, blockedPath }, signal) {
      const about = {
        tool_name: tool,
        display_name: tool,
        input,
        description: toolSummary(input),
        permission_suggestions: suggestions,
        ...(blockedPath === undefined ? {} : { blocked_path: blockedPath }),
        tool_use_id: toolUseId,
        decision_reason: reason,
      };
      return readAnswer(await put("can_use_tool", about, signal));
    },
    async question(question, signal) {
      const { selected } = await put("hook_question", { ...question }, signal);
      return typeof selected === "string" ? selected : undefined;
    },
    confirm: async (text, signal) => (await put("confirm", { text }, signal))["ok"] === true,
    async elicit({ server, message, schema }, signal) {
      const about = { mcp_server_name: server, message, mode: "form", requested_schema: schema };
      const { action, content } = await put("elicitation", about, signal);
      if (action !== "accept" && action !== "decline") return { action: "cancel" };
      return { action, ...(typeof content === "object" && content !== null ? { content: content as Fields } : {}) };
    },
  };
}

function readAnswer({ behavior, updatedInput, updatedPermissions, message, interrupt }: Fields) {
  if (behavior === "allow")
    return {
      behavior,
      ...(typeof updatedInput === "object" && updatedInput !== null ? { input: updatedInput as ToolInput } : {}),
      ...(Array.isArray(updatedPermissions) ? { updates: updatedPermissions as PermissionUpdate[] } : {}),
    } as const;
  return {
    behavior: "deny",
    ...(typeof message === "string" ? { message } : {}),
    ...(interrupt === true ? { interrupt } : {}),
  } as const;
}

import { randomUUID } from "node:crypto";
import {
  defined,
  isObject,
  messageOf,
  type PermissionUpdate,
  parseObject,
  type ToolInput,
} from "../../protocol/internal.ts";
import type { AgentControl, UserAnswer, UserPort } from "../agent-ports.ts";
import { toolSummary } from "../tools/tool.ts";
import { type Ask, handleControlRequest, isBlocks } from "./control-requests.ts";
import type { FrontIo } from "./front-io.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The connection to an embedding program over stdin and stdout: it sends prompts and requests, and answers ours. */
export function openProtocol(stdin: FrontIo["stdin"], send: (line: Fields) => void) {
  const pending = new Map<string, { resolve(value: unknown): void; reject(reason: unknown): void }>();
  let close: (() => void) | undefined;
  let usesRequests = false;
  let isClosed = false;

  /** Sends a request. Rejects when the program refuses it or closes its side, or when the signal is aborted. */
  async function request(subtype: string, fields: Fields, signal: AbortSignal): Promise<unknown> {
    // An aborted signal fires no event.
    signal.throwIfAborted();
    if (isClosed) throw new Error(otherEndClosed);
    const request_id = randomUUID();
    const cancel = (): void => {
      send({ type: "control_cancel_request", request_id });
      pending.get(request_id)?.reject(signal.reason);
    };
    signal.addEventListener("abort", cancel, { once: true });
    send({ type: "control_request", request_id, request: { subtype, ...fields } });
    try {
      return await new Promise((resolve, reject) => pending.set(request_id, { resolve, reject }));
    } finally {
      pending.delete(request_id);
      signal.removeEventListener("abort", cancel);
    }
  }

  async function answerRequest(control: AgentControl, request_id: unknown, fields: Fields): Promise<void> {
    const respond = (result: Fields): void => send({ type: "control_response", response: { request_id, ...result } });
    try {
      const response = await handleControlRequest(control, fields, request);
      respond({ subtype: "success", ...defined({ response }) });
    } catch (error) {
      respond({ subtype: "error", error: messageOf(error) });
    }
  }

  const sendError = (error: string): void => send({ type: "control_response", response: { subtype: "error", error } });

  function handleLine(control: AgentControl, line: Fields): Promise<void> | undefined {
    if (line["type"] === "user") {
      const { content } = (line["message"] ?? {}) as { content?: unknown };
      if (typeof content === "string" || isBlocks(content)) control.prompt(content);
      else sendError(`a user message without content: ${JSON.stringify(line).slice(0, 80)}`);
    } else if (line["type"] === "control_request") {
      usesRequests = true;
      return answerRequest(control, line["request_id"], (line["request"] ?? {}) as Fields);
    } else if (line["type"] === "control_response") {
      const { request_id, subtype, response, error } = (line["response"] ?? {}) as Fields;
      const settle = pending.get(String(request_id));
      if (subtype === "error") settle?.reject(new Error(String(error)));
      else settle?.resolve(response);
    }
    return undefined;
  }

  const user = userOverProtocol(request);
  return {
    /** Serves requests and prompts; resolves when the session may begin. */
    serve(control: AgentControl): Promise<void> {
      return new Promise((begin) => {
        const onLine = (text: string): void => {
          const line = parseObject(text);
          if (line === undefined) sendError(`not a JSON object: ${text.slice(0, 80)}`);
          // The first line decides when the session begins: the response to `initialize` comes before it.
          else begin(handleLine(control, line));
        };
        close = readLines(stdin, onLine, () => {
          isClosed = true;
          for (const { reject } of pending.values()) reject(new Error(otherEndClosed));
          control.end();
          begin();
        });
      });
    },
    /** Sends all questions to the program. */
    user,
    /** Sends only forms of servers. They are cancelled for a program that has sent no request: it may not know requests. */
    forms: {
      elicit: async (form, signal) => (usesRequests && (await user.elicit?.(form, signal))) || { action: "cancel" },
    } satisfies UserPort,
    close: (): void => close?.(),
  };
}

/**
 * Calls `onLine` for each line of a stream, then `onEnd`. `node:readline` would also end a line at U+2028, which a JSON text can contain.
 * Returns a function that stops reading; a paused stdin does not keep the process alive.
 */
function readLines(input: FrontIo["stdin"], onLine: (text: string) => void, onEnd: () => void): () => void {
  const decoder = new TextDecoder();
  let rest = "";
  let isOpen = true;
  const onData = (chunk: Buffer | string): void => {
    const [first = "", ...others] = decoder.decode(Buffer.from(chunk), { stream: true }).split("\n");
    const last = others.pop();
    const lines = last === undefined ? [] : [rest + first, ...others];
    rest = last ?? rest + first;
    for (const line of lines) if (isOpen) onLine(line);
  };
  const close = (): void => {
    if (!isOpen) return;
    isOpen = false;
    input.off("data", onData);
    input.pause();
    onEnd();
  };
  const finish = (): void => {
    const text = rest + decoder.decode();
    if (isOpen && text !== "") onLine(text);
    close();
  };
  input.on("data", onData).once("end", finish).once("close", finish).once("error", finish);
  return close;
}

const otherEndClosed = "the other end has closed its side";

/** The program answers in place of the user. An error or a closed connection is a refusal. */
function userOverProtocol(ask: Ask): UserPort {
  async function request(subtype: string, fields: Fields, signal: AbortSignal): Promise<Fields> {
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
        ...defined({ blocked_path: blockedPath }),
        tool_use_id: toolUseId,
        decision_reason: reason,
      };
      return readAnswer(await request("can_use_tool", about, signal));
    },
    async question(question, signal) {
      const { selected } = await request("hook_question", { ...question }, signal);
      return typeof selected === "string" ? selected : undefined;
    },
    confirm: async (text, signal) => (await request("confirm", { text }, signal))["ok"] === true,
    async elicit({ server, message, schema }, signal) {
      const about = { mcp_server_name: server, message, mode: "form", requested_schema: schema };
      const { action, content } = await request("elicitation", about, signal);
      if (action !== "accept" && action !== "decline") return { action: "cancel" };
      return isObject(content) ? { action, content } : { action };
    },
  };
}

function readAnswer({ behavior, updatedInput, updatedPermissions, message, interrupt }: Fields): UserAnswer {
  if (behavior === "allow")
    return {
      behavior,
      ...(typeof updatedInput === "object" && updatedInput !== null ? { input: updatedInput as ToolInput } : {}),
      ...(Array.isArray(updatedPermissions) ? { updates: updatedPermissions as PermissionUpdate[] } : {}),
    };
  return {
    behavior: "deny",
    ...(typeof message === "string" ? { message } : {}),
    ...(interrupt === true ? { interrupt } : {}),
  };
}

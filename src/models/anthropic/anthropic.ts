import type Anthropic from "@anthropic-ai/sdk";
import { errorOf } from "../api-error.ts";
import type { Model, ModelEvent, ModelRequest } from "../model.ts";
import { loadPeer } from "../peer.ts";
import { apiName, windowOf } from "./names.ts";
import { streamReader } from "./read-stream.ts";
import { messagesRequest } from "./request.ts";

export interface AnthropicOptions {
  /** A name the API knows, or `haiku`, `sonnet`, `opus`; `[1m]` behind it asks for the long window. */
  readonly model?: string;
  readonly smallModel?: string;
  readonly contextWindow?: number;
  /**
   * Where key, token and base URL come from. Contract: the environment of the process, never one that a project's settings were merged
   * into; a checkout must not choose where a person's key is sent.
   */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Models behind the Messages API, through the official SDK. */
export async function anthropic(options: AnthropicOptions = {}): Promise<Model> {
  const { default: Client } = await loadPeer(
    "@anthropic-ai/sdk",
    "A model of the Anthropic API",
    () => import("@anthropic-ai/sdk"),
  );
  const env = options.env ?? process.env;
  const said = options.model ?? "sonnet";
  const apiKey = env["ANTHROPIC_API_KEY"] || null;
  const authToken = apiKey === null ? env["ANTHROPIC_AUTH_TOKEN"] || null : null;
  const client =
    apiKey === null && authToken === null
      ? undefined
      : new Client({
          apiKey,
          authToken,
          baseURL: env["ANTHROPIC_BASE_URL"] || "https://api.anthropic.com",
          maxRetries: 0,
          logLevel: "off",
        });
  return {
    name: apiName(said, env),
    contextWindow: options.contextWindow ?? windowOf(said),
    smallModel: apiName(options.smallModel ?? (env["ANTHROPIC_SMALL_FAST_MODEL"] || "haiku"), env),
    stream: (request, signal) => streamOf(client, { ...request, model: apiName(request.model, env) }, signal),
  };
}

async function* streamOf(
  client: Anthropic | undefined,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  if (client === undefined) {
    const message = "No key for the Anthropic API: set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN in the environment.";
    yield { type: "error", errorType: "missing-key", message };
    return;
  }
  const reader = streamReader();
  let began = false;
  try {
    const call = client.messages.create(messagesRequest(request), { signal });
    const { data, request_id: requestId } = await call.withResponse();
    began = true;
    for await (const event of data) yield* reader.read(event);
    yield signal.aborted ? errorOf(undefined, signal) : reader.end(requestId ?? undefined);
  } catch (thrown) {
    yield errorOf(thrown, signal, began);
  }
}

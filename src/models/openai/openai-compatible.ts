import type OpenAI from "openai";
import { errorOf } from "../api-error.ts";
import type { Model, ModelEvent, ModelRequest } from "../model.ts";
import { loadPeer } from "../peer.ts";
import { chunkReader } from "./read-chunks.ts";
import { chatRequest, leftOut } from "./request.ts";

export interface OpenaiCompatibleOptions {
  readonly model: string;
  readonly smallModel?: string;
  readonly contextWindow?: number;
  /** Where `OPENAI_API_KEY` and `OPENAI_BASE_URL` come from: the environment of the process, never a project's settings. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Told once of each thing that the API has no words for and that is left out of requests. */
  readonly onLeftOut?: (what: string) => void;
}

/** Models behind any server that speaks chat completions, through the official package. */
export async function openaiCompatible(options: OpenaiCompatibleOptions): Promise<Model> {
  const { default: Client } = await loadPeer("openai", "A model of an OpenAI-compatible API", () => import("openai"));
  const env = options.env ?? process.env;
  const baseURL = env["OPENAI_BASE_URL"] || undefined;
  const apiKey = env["OPENAI_API_KEY"] || (baseURL === undefined ? undefined : "none");
  const client =
    apiKey === undefined
      ? undefined
      : new Client({ apiKey, baseURL: baseURL ?? "https://api.openai.com/v1", maxRetries: 0, logLevel: "off" });
  const limit = baseURL === undefined ? "max_completion_tokens" : "max_tokens";
  const told = new Set<string>();
  function tell(request: ModelRequest): void {
    for (const what of leftOut(request)) {
      if (told.has(what)) continue;
      told.add(what);
      options.onLeftOut?.(what);
    }
  }
  return {
    name: options.model,
    ...(options.contextWindow === undefined ? {} : { contextWindow: options.contextWindow }),
    ...(options.smallModel === undefined ? {} : { smallModel: options.smallModel }),
    stream: (request, signal) => {
      tell(request);
      return streamOf(client, chatRequest(request, limit), signal);
    },
  };
}

async function* streamOf(
  client: OpenAI | undefined,
  request: ReturnType<typeof chatRequest>,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  if (client === undefined) {
    const message = "No key for the OpenAI API: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server that needs none.";
    yield { type: "error", errorType: "missing-key", message };
    return;
  }
  const reader = chunkReader();
  let began = false;
  try {
    const { data, request_id: requestId } = await client.chat.completions.create(request, { signal }).withResponse();
    began = true;
    for await (const chunk of data) yield* reader.read(chunk);
    if (signal.aborted) yield errorOf(undefined, signal);
    else yield* reader.end(requestId ?? undefined);
  } catch (thrown) {
    yield errorOf(thrown, signal, began);
  }
}

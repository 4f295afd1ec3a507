import { defined, loadPackage, mustBe } from "../../protocol/internal.ts";
import { checkPortOptions, clientOptions, portChecks, streamAnswer } from "../api-port.ts";
import { replaceLoneSurrogates } from "../message.ts";
import type { Model, ModelError, ModelRequest } from "../model.ts";
import { chatRequest, type LimitWord, unsupportedParts } from "./openai-request.ts";
import { openaiReader } from "./openai-stream.ts";

/** The options of `openaiCompatible`. */
export interface OpenaiCompatibleOptions {
  /** The model's name at the server. */
  readonly model: string;
  /** The model for hooks and titles. Default: `model`. */
  readonly smallModel?: string;
  /** Tokens that the model holds. */
  readonly contextWindow?: number;
  /** Characters that one answer may have, thinking and tool input included. A longer one is aborted. Default: 32 Mi. */
  readonly maxAnswerChars?: number;
  /** Where `OPENAI_API_KEY` and `OPENAI_BASE_URL` come from: the environment of the process, never a project's settings. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Called once for each feature that the API does not support and that is left out of requests. */
  readonly onUnsupported?: (what: string) => void;
}

const checks = { ...portChecks, onUnsupported: mustBe.function };

/** Opens a model of any server with a chat completions API, with the official package. */
export async function openaiCompatible(options: OpenaiCompatibleOptions): Promise<Model> {
  checkPortOptions("openaiCompatible", options, checks, ["model"]);
  const { default: Client } = await loadPackage(
    "openai",
    "A model of an OpenAI-compatible API",
    () => import("openai"),
  );
  const env = options.env ?? process.env;
  const ownURL = env["OPENAI_BASE_URL"] || undefined;
  const baseURL = ownURL ?? "https://api.openai.com/v1";
  const apiKey = env["OPENAI_API_KEY"] || (ownURL === undefined ? undefined : "none");
  const client = apiKey === undefined ? undefined : new Client({ apiKey, baseURL, ...clientOptions });
  const limitWord = ownURL === undefined ? "max_completion_tokens" : "max_tokens";
  const unlimited = new Set<string>();
  const reported = new Set<string>();
  function reportUnsupported(request: ModelRequest): void {
    for (const what of unsupportedParts(request)) {
      if (reported.has(what)) continue;
      reported.add(what);
      options.onUnsupported?.(what);
    }
  }
  return {
    name: options.model,
    ...defined({ contextWindow: options.contextWindow, smallModel: options.smallModel }),
    async *stream(request, signal) {
      reportUnsupported(request);
      if (client === undefined) {
        yield { type: "error", errorType: "missing-key", message: missingKey };
        return;
      }
      const answerWithin = (limit: LimitWord | undefined) => {
        const body = () => replaceLoneSurrogates(chatRequest(request, limit));
        const open = () => client.chat.completions.create(body(), { signal }).withResponse();
        return streamAnswer(open, openaiReader(), signal, options.maxAnswerChars);
      };
      if (!unlimited.has(request.model)) {
        let refused = false;
        for await (const event of answerWithin(limitWord)) {
          refused = event.type === "error" && refusesLimit(event);
          if (!refused) yield event;
        }
        if (!refused) return;
        unlimited.add(request.model);
      }
      yield* answerWithin(undefined);
    },
  };
}

const missingKey = "No key for the OpenAI API: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server that needs none.";

/** A model that writes less than was asked for, or a server that knows the limit under another name: it is asked without one. */
function refusesLimit({ status, message }: ModelError): boolean {
  return status === 400 && /max_(completion_)?tokens|in the completion/.test(message);
}

import { loadPackage } from "../../protocol/internal.ts";
import { checkPortOptions, clientOptions, portChecks, streamAnswer } from "../api-port.ts";
import type { Model } from "../model.ts";
import { messagesRequest } from "./anthropic-request.ts";
import { anthropicReader } from "./anthropic-stream.ts";
import { asksForLongWindow, contextWindowOf, knownModel, longWindow, resolveModelName } from "./known-models.ts";

/** The options of `anthropic`. */
export interface AnthropicOptions {
  /** A name the API knows, or `haiku`, `sonnet`, `opus`; `[1m]` behind it asks for the long window. */
  readonly model?: string;
  /** The model for hooks and titles. Default: `ANTHROPIC_SMALL_FAST_MODEL`, else `haiku`. */
  readonly smallModel?: string;
  /** Tokens that the model holds. Default: that of the model table. */
  readonly contextWindow?: number;
  /** Characters that one answer may have, thinking and tool input included. A longer one is aborted. Default: 32 Mi. */
  readonly maxAnswerChars?: number;
  /**
   * Where key, token and base URL come from. Contract: the environment of the process, never one that a project's settings were merged
   * into; a checkout must not choose where a user's key is sent.
   */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Opens a model of the Anthropic API, with the official SDK. */
export async function anthropic(options: AnthropicOptions = {}): Promise<Model> {
  checkPortOptions("anthropic", options, portChecks);
  const { default: Client } = await loadPackage(
    "@anthropic-ai/sdk",
    "A model of the Anthropic API",
    () => import("@anthropic-ai/sdk"),
  );
  const env = options.env ?? process.env;
  const wanted = options.model ?? "sonnet";
  const apiKey = env["ANTHROPIC_API_KEY"] || null;
  const authToken = apiKey === null ? env["ANTHROPIC_AUTH_TOKEN"] || null : null;
  const hasKey = apiKey !== null || authToken !== null;
  const baseURL = env["ANTHROPIC_BASE_URL"] || "https://api.anthropic.com";
  const client = hasKey ? new Client({ apiKey, authToken, baseURL, ...clientOptions }) : undefined;
  return {
    name: resolveModelName(wanted, env),
    contextWindow: options.contextWindow ?? contextWindowOf(wanted, env),
    smallModel: resolveModelName(options.smallModel ?? (env["ANTHROPIC_SMALL_FAST_MODEL"] || "haiku"), env),
    defaultEffort: (model) => {
      const known = knownModel(resolveModelName(model, env));
      return known === undefined ? "high" : known.effort;
    },
    async *stream(request, signal) {
      if (client === undefined) {
        yield { type: "error", errorType: "missing-key", message: missingKey };
        return;
      }
      const model = resolveModelName(request.model, env);
      // The port's own name no longer carries the mark.
      const long =
        asksForLongWindow(request.model, env) ||
        (asksForLongWindow(wanted, env) && model === resolveModelName(wanted, env));
      const headers = long ? longWindow : {};
      const send = () => client.messages.create(messagesRequest({ ...request, model }), { signal, headers });
      const open = () => withoutWarning(send).withResponse();
      yield* streamAnswer(open, anthropicReader(), signal, options.maxAnswerChars);
    },
  };
}

const missingKey = "No key for the Anthropic API: set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN in the environment.";

/** The package warns about old models with every request, on the console. The host does so once per session, from the same dates. */
function withoutWarning<Value>(make: () => Value): Value {
  const { warn } = console;
  console.warn = () => undefined;
  try {
    return make();
  } finally {
    console.warn = warn;
  }
}

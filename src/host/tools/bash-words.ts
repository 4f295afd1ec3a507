import type { ToolInput } from "../../protocol/index.ts";
import type { JsonSchema } from "./schema.ts";
import { persistedText } from "./shell-output.ts";
import type { ToolContent } from "./tool.ts";

export interface BashInput {
  readonly command: string;
  readonly timeout?: number;
  readonly description?: string;
  readonly run_in_background?: boolean;
}

export const bashInput: JsonSchema = {
  type: "object",
  properties: {
    command: { type: "string", description: "The command to run" },
    timeout: { type: "number", description: "Milliseconds it may take, 600000 at most" },
    description: { type: "string", description: "What it does, in a few words" },
    run_in_background: { type: "boolean", description: "Go on without waiting for its end" },
    dangerouslyDisableSandbox: { type: "boolean", description: "Has no effect: there is no sandbox" },
  },
  required: ["command"],
  additionalProperties: false,
};

/** What a hook must at least give when it replaces an output. */
export const bashResponse: JsonSchema = {
  type: "object",
  required: ["stdout", "stderr", "interrupted", "isImage"],
  properties: {
    stdout: { type: "string" },
    stderr: { type: "string" },
    interrupted: { type: "boolean" },
    isImage: { type: "boolean" },
    returnCodeInterpretation: { type: "string" },
    noOutputExpected: { type: "boolean" },
    backgroundTaskId: { type: "string" },
    persistedOutputPath: { type: "string" },
    persistedOutputSize: { type: "number" },
  },
};

export interface BashResponse {
  readonly stdout: string;
  readonly stderr: string;
  readonly isImage: boolean;
  readonly backgroundTaskId?: string;
  readonly persistedOutputPath?: string;
  readonly persistedOutputSize?: number;
}

export function readBashInput(input: ToolInput): BashInput {
  return input as unknown as BashInput;
}

export function renderBash(response: unknown): ToolContent {
  const { stdout, stderr, isImage, persistedOutputPath, persistedOutputSize } = response as BashResponse;
  const image = isImage ? /^data:(image\/[\w.+-]+);base64,([A-Za-z0-9+/=\s]+)$/i.exec(stdout) : null;
  if (image?.[1] !== undefined && image[2] !== undefined) {
    return [{ type: "image", source: { type: "base64", data: image[2], media_type: image[1].toLowerCase() } }];
  }
  const shown =
    persistedOutputPath === undefined ? stdout : persistedText(stdout, persistedOutputPath, persistedOutputSize ?? 0);
  const text = [shown, stderr.trim()].filter((part) => part !== "").join("\n");
  return text === "" ? "(Bash completed with no output)" : text;
}

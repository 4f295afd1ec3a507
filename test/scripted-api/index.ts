/** A scripted Messages API on loopback, for every test that needs a model without a network. */
export { type ChatApi, type ChatRequest, type ChatTurn, startChatApi } from "./chat.ts";
export type { RequestPurpose } from "./request-purpose.ts";
export type {
  ApiBlock,
  ApiMessage,
  Failure,
  MessagesRequest,
  Part,
  Script,
  ToolCall,
  Turn,
  Turns,
  Whole,
} from "./script.ts";
export { type LoggedRequest, type ScriptedApi, startScriptedApi } from "./server.ts";

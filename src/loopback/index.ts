export { type Body, type BodyLimits, readBody } from "./body.ts";
export { letSend, sendJson, sendText, turnAway } from "./reply.ts";
export { type Loopback, type LoopbackOptions, openLoopback } from "./server.ts";
export { newToken, sameToken } from "./token.ts";

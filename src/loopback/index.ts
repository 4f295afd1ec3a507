export { type Loopback, type LoopbackOptions, openLoopback } from "./loopback-server.ts";
export { letSend, sendJson, sendText, turnAway } from "./reply.ts";
export { type Body, type BodyLimits, readBody } from "./request-body.ts";
export { newToken, sameToken } from "./token.ts";

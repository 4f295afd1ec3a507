export { newToken, sameToken } from "./gate.ts";
export { type Loopback, type LoopbackOptions, openLoopback } from "./loopback-server.ts";
export { type Body, type BodyLimits, letSend, readBody, sendJson, sendText, turnAway } from "./request-body.ts";

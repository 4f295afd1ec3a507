export { newToken, sameToken } from "./gate.ts";
export { type Loopback, openLoopback } from "./loopback-server.ts";
export { letSend, readBody, sendJson, sendText, turnAway } from "./request-body.ts";

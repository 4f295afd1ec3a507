export { type Loopback, newToken, openLoopback, sameToken } from "./loopback-server.ts";
export { letSend, readBody, sendJson, sendText, turnAway } from "./request-body.ts";

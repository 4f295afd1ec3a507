export { dropEndpoint, type Endpoint, type EndpointOptions, endpointFor } from "./endpoint.ts";
export type { DaemonRecord } from "./record.ts";
export { type ServeOptions, serve } from "./serve.ts";
export { type ServedApp, type ServeHereOptions, serveHere } from "./serve-here.ts";
export { type StartOptions, startDaemon } from "./start.ts";
export { type DaemonStatus, daemonStatus } from "./status.ts";
export { stopDaemon } from "./stop.ts";
export { answerCalls } from "./thread.ts";

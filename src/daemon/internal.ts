export { type DaemonStatus, daemonStatus, type StartOptions, startDaemon, stopDaemon } from "./control.ts";
export { dropEndpoint, type Endpoint, type EndpointOptions, endpointFor } from "./endpoint.ts";
export type { DaemonRecord } from "./record-file.ts";
export { type ServeOptions, serve } from "./server/serve-daemon.ts";
export { type ServedApp, type ServeHereOptions, serveHere } from "./server/serve-in-process.ts";
export { answerCalls } from "./worker/worker-main.ts";

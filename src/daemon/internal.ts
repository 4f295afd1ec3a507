export { daemonStatus, startDaemon, stopDaemon } from "./control.ts";
export { dropEndpoint, endpointFor } from "./endpoint.ts";
export { serve } from "./server/serve-daemon.ts";
export { type ServeAppOptions, type ServedApp, serveInProcess } from "./server/serve-in-process.ts";
export { runWorker } from "./worker/worker-main.ts";

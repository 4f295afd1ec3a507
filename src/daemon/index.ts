export { dropEndpoint, type Endpoint, type EndpointOptions, endpointFor } from "./endpoint.ts";
export { type DaemonStatus, daemonStatus } from "./status.ts";
export { stopDaemon } from "./stop.ts";

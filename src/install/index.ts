export type { DaemonDoor, DaemonStatus, Endpoint } from "./daemon-door.ts";
export { type Installer, type InstallOutcome, type InstallRequest, installApp } from "./install-app.ts";
export { placesOf, type ScopePlaces, type Standpoint } from "./places.ts";
export type { PlannedEntry } from "./plan.ts";
export { purgeTraces } from "./purge.ts";
export { type AskedTransport, askedTransports, type Scope, scopes } from "./scope.ts";
export { type Drift, type DriftKind, type ScopeStatus, statusOf } from "./status.ts";
export { type Uninstalled, uninstall } from "./uninstall.ts";

export type { DaemonDoor, DaemonStatus, Endpoint } from "./daemon-door.ts";
export { type Installer, type InstallOutcome, type InstallRequest, installApp } from "./install-app.ts";
export type { ScopePlaces, Standpoint } from "./places.ts";
export { placesOf } from "./places.ts";
export { type AskedTransport, askedTransports, type Scope, scopes } from "./scope.ts";
export { type Uninstalled, uninstall } from "./uninstall.ts";

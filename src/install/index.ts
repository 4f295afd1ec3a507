export { repairCommand } from "./advice.ts";
export { isCodeAsInstalled, type Look } from "./code-drift.ts";
export { compileClient } from "./compile-client.ts";
export type { ClientForm, ClientUse } from "./compiled-client.ts";
export type { DaemonDoor, DaemonStatus, Endpoint } from "./daemon-door.ts";
export type { Drift, DriftKind } from "./drift.ts";
export {
  clientsInUse,
  type InstallFinding,
  type InstallFindingCode,
  installFindingCodes,
  installFindings,
} from "./findings.ts";
export { type Installer, type InstallOutcome, type InstallRequest, installApp } from "./install-app.ts";
export { placesOf, type ScopePlaces, type Standpoint } from "./places.ts";
export type { PlannedEntry } from "./plan.ts";
export { purgeTraces } from "./purge.ts";
export { type Repair, repair } from "./repair.ts";
export { type AskedTransport, askedTransports, type Scope, scopes } from "./scope.ts";
export { type ScopeStatus, statusOf } from "./status.ts";
export { type Uninstalled, uninstall } from "./uninstall.ts";

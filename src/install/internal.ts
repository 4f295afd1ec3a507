export { compileClient } from "./client/compile-client.ts";
export type { ClientForm, ClientUse } from "./client/compiled-client.ts";
export type { Drift, DriftKind } from "./drift/advice.ts";
export { repairCommand } from "./drift/advice.ts";
export { isCodeAsInstalled, type Look } from "./drift/code-drift.ts";
export {
  clientsInUse,
  type InstallFinding,
  type InstallFindingCode,
  installFindingCodes,
  installFindings,
} from "./drift/install-findings.ts";
export { type Repair, repair } from "./drift/repair-install.ts";
export { type ScopeStatus, statusOf } from "./drift/scope-status.ts";
export { purgeTraces, type Uninstalled, uninstall } from "./edit/uninstall-entries.ts";
export { type Installer, type InstallOutcome, type InstallRequest, installApp } from "./install-app.ts";
export type { DaemonDoor, DaemonStatus, Endpoint } from "./installer.ts";
export {
  type AskedTransport,
  askedTransports,
  placesOf,
  type Scope,
  type ScopePlaces,
  type Standpoint,
  scopes,
} from "./plan/install-places.ts";
export type { PlannedEntry } from "./plan/plan-entries.ts";

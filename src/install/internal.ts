export { compileClient } from "./client/compile-client.ts";
export type { ClientUse } from "./client/compiled-client.ts";
export { repairCommand } from "./drift/advice.ts";
export { isCodeAsInstalled } from "./drift/code-drift.ts";
export { installFindingCodes } from "./drift/finding-codes.ts";
export { type InstallReport, installReport } from "./drift/install-findings.ts";
export { installedNeverRunning, parentSettings } from "./drift/never-running.ts";
export { type InstallRepair, repairInstall } from "./drift/repair-install.ts";
export { type ScopeStatus, statusOf } from "./drift/scope-status.ts";
export { purgeTraces, type Uninstalled, uninstall } from "./edit/uninstall-entries.ts";
export { type DaemonControl, type Installer, type InstallOutcome, installApp } from "./install-app.ts";
export {
  type AskedTransport,
  askedTransports,
  type InstallScope,
  type InstallTarget,
  installScopes,
  type ScopeFiles,
  scopeFiles,
} from "./plan/install-places.ts";
export type { PlannedEntry } from "./plan/own-entries.ts";

import type { Warning } from "../protocol/internal.ts";
import type { Finding } from "./doctor/finding.ts";
import type { Engine, NoOwnEvents, OwnEvents } from "./engine-type.ts";
import type { EngineOptions } from "./options.ts";
import type { PermissionRules } from "./settings/compiled-rules.ts";
import type { TrustPorts, TrustReview } from "./trust/review.ts";
import type { ServerTrust } from "./trust/server-trust.ts";
import type { WrittenGrant } from "./trust/trust-state.ts";

/**
 * Opens an engine on the settings that apply in a directory. Events of your own are a type parameter, so that their names and payloads
 * are checked too: `openEngine<{ Deploy: { target: string } }>({ events: [row] })`.
 */
// It is loaded here, so that importing the entry point costs next to nothing.
export async function openEngine<Own extends OwnEvents = NoOwnEvents>(
  options: EngineOptions = {},
): Promise<Engine<Own>> {
  const engine = await import("./engine.ts");
  return engine.openEngine<Own>(options);
}

/** The permission rules that apply in a directory, trust taken into account, to judge calls without an engine. */
export async function openRules(
  options: EngineOptions = {},
): Promise<PermissionRules & { readonly warnings: readonly Warning[] }> {
  const engine = await import("./engine.ts");
  return engine.openRules(options);
}

/** What is wrong with the hooks that apply in a directory, the worst first. Starts nothing and writes nothing. */
export async function diagnose(options: EngineOptions = {}): Promise<readonly Finding[]> {
  return (await import("./doctor/diagnose.ts")).diagnose(options);
}

/** Lists what in a directory needs approval, with functions to approve it. Starts nothing and writes nothing by itself. */
export async function reviewTrust(options: EngineOptions = {}, ports: TrustPorts = {}): Promise<TrustReview> {
  const review = await import("./trust/review.ts");
  return review.reviewTrust(options, ports);
}

/** Whether servers that a directory configures may be started, by what was approved. */
export async function openServerTrust(options: EngineOptions = {}): Promise<ServerTrust> {
  const { serverTrust } = await import("./trust/server-trust.ts");
  return serverTrust(options);
}

/**
 * Approves grants that were written into a checkout's settings on the user's behalf; only those entries. Hosts call it when they
 * carry out `updatedPermissions` for project or local settings.
 */
export async function approveGrants(options: EngineOptions, grants: readonly WrittenGrant[]): Promise<void> {
  const review = await import("./trust/review.ts");
  await review.approveGrants(options, grants);
}

/** The URLs that a list of allowed URLs (`allowedHttpHookUrls`) does not admit. */
export async function refusedUrls(urls: readonly string[], allowedUrls: readonly string[]): Promise<readonly string[]> {
  const { admitUrl } = await import("./runners/http/destination.ts");
  return urls.filter((url) => "refused" in admitUrl(url, { urlLists: [allowedUrls], allowPrivate: true }));
}

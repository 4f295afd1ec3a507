import type { EngineOptions } from "../options.ts";
import type { WrittenGrant } from "./pinnable.ts";
import type { TrustPorts, TrustReview } from "./review.ts";
import type { ServerTrust } from "./server-trust.ts";

/** What a folder brings that needs a person's approval, and the ways to give it. Starts nothing and writes nothing by itself. */
export async function reviewTrust(options: EngineOptions = {}, ports: TrustPorts = {}): Promise<TrustReview> {
  const review = await import("./review.ts");
  return review.reviewTrust(options, ports);
}

/** Whether servers that a folder configures may be started, by what was approved. */
export async function openServerTrust(options: EngineOptions = {}): Promise<ServerTrust> {
  const { serverTrust } = await import("./server-trust.ts");
  return serverTrust(options);
}

/**
 * Approves grants that were written into a checkout's settings on a person's word, those entries alone. Hosts call it when they
 * carry out `updatedPermissions` for project or local settings.
 */
export async function approveGrants(options: EngineOptions, grants: readonly WrittenGrant[]): Promise<void> {
  const review = await import("./review.ts");
  await review.approveGrants(options, grants);
}

import { type CatalogRow, usual } from "./event-row.ts";

export interface PreModelSwitchInput {
  readonly from_model: string;
  readonly to_model: string;
  readonly requested_model: string | null;
  readonly source: string;
  readonly context_tokens: number;
  readonly prompt_cache_warm: boolean;
  readonly cache_ttl: "5m" | "1h";
  readonly estimated_cache_write_usd: number;
  readonly pricing: "configured" | "catalog" | "default";
}

const app = { method: "onPreModelSwitch", answers: ["allow", "ask", "deny"] } as const;

export const preModelSwitch: CatalogRow<"PreModelSwitch", PreModelSwitchInput, typeof app> = {
  ...usual,
  name: "PreModelSwitch",
  phase: "context",
  since: "declared",
  fires: "before a switch that a user or client requested; not before automatic ones",
  fields: {
    from_model: { is: "text" },
    to_model: { is: "text" },
    requested_model: { is: "text", nullable: true },
    source: { is: "text", of: ["command", "picker", "sdk"], open: true },
    context_tokens: { is: "number" },
    prompt_cache_warm: { is: "flag" },
    cache_ttl: { is: "text", of: ["5m", "1h"] },
    estimated_cache_write_usd: { is: "number" },
    pricing: { is: "text", of: ["configured", "catalog", "default"] },
  },
  matchesOn: { field: "to_model" },
  onBlock: "refuse",
  answers: ["permissionDecision"],
  decisions: ["allow", "ask", "deny"],
  blockWord: true,
  timeoutMs: 30_000,
  blocks: "the model stays",
  onFailure: "guard",
  special: { timeoutDenies: true },
  app,
};

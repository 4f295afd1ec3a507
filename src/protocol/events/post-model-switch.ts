import { type CatalogRow, usual } from "./event-row.ts";

export interface PostModelSwitchInput {
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

const app = { method: "onPostModelSwitch", answers: ["context"] } as const;

export const postModelSwitch: CatalogRow<"PostModelSwitch", PostModelSwitchInput, typeof app> = {
  ...usual,
  name: "PostModelSwitch",
  phase: "context",
  since: "declared",
  fires: "after every lasting switch, including fallback and resume",
  fields: {
    from_model: { is: "text" },
    to_model: { is: "text" },
    requested_model: { is: "text", nullable: true },
    source: { is: "text", of: ["command", "picker", "sdk", "auto", "resume"], open: true },
    context_tokens: { is: "number" },
    prompt_cache_warm: { is: "flag" },
    cache_ttl: { is: "text", of: ["5m", "1h"] },
    estimated_cache_write_usd: { is: "number" },
    pricing: { is: "text", of: ["configured", "catalog", "default"] },
  },
  matchesOn: { field: "to_model" },
  onText: "context",
  answers: ["additionalContext"],
  timeoutMs: 30_000,
  app,
};

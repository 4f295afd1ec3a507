import { plainLine } from "../../protocol/index.ts";
import type { Statusline } from "../../usage/index.ts";
import { moneyText } from "./money.ts";

export const costSources = ["auto", "hookline", "host", "both"] as const;
export type CostSource = (typeof costSources)[number];

const usual = "{model} | {session} session | {today} today | {block} | {context} context | {limits}";

/**
 * One line. `{name}` stands for a figure; a part between bars that has none to show is left out.
 * Contract: holds no line break and no control character, whatever the client's JSON held.
 */
export function statuslineText(line: Statusline, source: CostSource, template: string = usual): string {
  const figures = new Map(Object.entries(figuresOf(line, source)));
  const parts = template.split("|").flatMap((part) => {
    const names = [...part.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");
    if (names.length > 0 && names.every((name) => !figures.get(name))) return [];
    return [part.replace(/\{(\w+)\}/g, (_, name: string) => figures.get(name) ?? "").trim()];
  });
  return plainLine(parts.filter(Boolean).join(" | "));
}

function figuresOf(line: Statusline, source: CostSource): Readonly<Record<string, string | undefined>> {
  const { block } = line;
  return {
    model: line.model,
    session: sessionText(line, source),
    host: line.hostMicroUsd === undefined ? undefined : moneyText(line.hostMicroUsd),
    today: amountText(line.today.costMicroUsd, line.today.complete && line.isWhole),
    block:
      block === undefined
        ? undefined
        : `${amountText(block.costMicroUsd, block.complete && line.isWhole)} block (${leftText(block.minutesLeft)} left)`,
    blockLeft: block === undefined ? undefined : leftText(block.minutesLeft),
    context: line.context === undefined ? undefined : percentText(line.context),
    limits: line.limits.map(({ name, share }) => `${name} ${percentText(share)}`).join(" ") || undefined,
  };
}

function sessionText({ sessionCost, hostMicroUsd, isWhole }: Statusline, source: CostSource): string | undefined {
  const ours =
    sessionCost === undefined ? undefined : amountText(sessionCost.costMicroUsd, sessionCost.complete && isWhole);
  const host = hostMicroUsd === undefined ? undefined : moneyText(hostMicroUsd);
  if (source === "hookline") return ours;
  if (source === "host") return host;
  if (source === "auto" || ours === undefined || host === undefined) return ours ?? host;
  return `${ours} (client ${host})`;
}

/** There is no room for words: a plus says that it is at least this much. */
function amountText(microUsd: number, complete: boolean): string {
  return `${moneyText(microUsd)}${complete ? "" : "+"}`;
}

function leftText(minutes: number): string {
  return minutes < 60 ? `${minutes}m` : `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}

function percentText(share: number): string {
  return `${Math.round(share * 100)}%`;
}

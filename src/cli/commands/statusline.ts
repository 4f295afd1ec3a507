import { Problem, plainLine } from "../../protocol/internal.ts";
import { type Statusline, statusline } from "../../usage/internal.ts";
import type { Command } from "../command-line/command.ts";
import { readAll } from "../command-line/input.ts";
import { oneOf } from "../option-values.ts";
import { moneyText } from "../print/figures.ts";
import { compileLess } from "../unhurried.ts";

export const command: Command = {
  usage: "[--cost-source auto|hookline|host|both] [--template TEXT]",
  about: `One line for an agent's status bar: reads the client's JSON on stdin, prints model, cost of the session, of today and of the
running block, share of the context window and limits.

It reads only what is new in this session; all else is as the last hookline usage left it. Whatever it reads, it prints no error and
ends with status 0; only wrong options end with status 1 and a message, as for every command. In a template {model}, {session}, {host}, {today}, {block}, {blockLeft}, {context} and {limits} stand for figures; a
part between bars that has nothing to show is left out.`,
  mostArguments: 0,
  options: {
    "cost-source": {
      type: "string",
      value: "SOURCE",
      about: "whose figure for the session: auto, hookline, host or both",
    },
    template: { type: "string", value: "TEXT", about: "what to print instead" },
    timezone: { type: "string", value: "ZONE", about: "today in this zone (default: the system's)" },
  },
  examples: ["hookline statusline < status.json", "hookline statusline --template '{model} | {session} | {context}'"],
  async run(call, io) {
    const source = oneOf("cost-source", call.text("cost-source"), costSources) ?? "auto";
    compileLess();
    const text = io.stdin.isTTY ? "" : await readAll(io);
    const timezone = call.text("timezone");
    try {
      const line = await statusline(text, {
        env: io.env,
        home: io.home,
        ...(timezone === undefined ? {} : { timezone }),
      });
      await io.out(`${statuslineText(line, source, call.text("template"))}\n`);
    } catch (error) {
      if (error instanceof Problem && error.code === "usage/timezone") throw error;
      // A status bar is no place for our troubles: hookline usage tells them.
      await io.out("\n");
    }
    return 0;
  },
};

const costSources = ["auto", "hookline", "host", "both"] as const;
type CostSource = (typeof costSources)[number];

const usual = "{model} | {session} session | {today} today | {block} | {context} context | {limits}";

/**
 * One line. `{name}` stands for a figure; a part between bars that has none to show is left out.
 * Contract: holds no line break and no control character, whatever the client's JSON held.
 */
function statuslineText(line: Statusline, source: CostSource, template: string = usual): string {
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

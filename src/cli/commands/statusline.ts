import { closestName, Problem, plainLine } from "../../protocol/internal.ts";
import { type Statusline, statusline } from "../../usage/internal.ts";
import type { Command } from "../command-line/command.ts";
import { readAll } from "../command-line/input.ts";
import { compileAsUsual, compileLess } from "../compile-less.ts";
import { choice, optionTexts } from "../options/option-values.ts";
import { moneyText } from "../print/figures.ts";

export const command: Command = {
  usage: "[--cost-source auto|hookline|host|both] [--template TEXT]",
  about: `Prints one line for an agent's status bar. Reads Claude Code's JSON from standard input and prints the model, the cost of the
session, of today and of the current block, the share of the context window, and the limits.

It reads only what is new in this session; other figures are those of the last hookline usage. A template can use {model}, {session},
{host}, {today}, {block}, {blockLeft}, {context} and {limits}; a segment between bars is omitted if it has no
value, and an unknown name is reported on standard error.
Exit status: 0 whatever the input is, 1 only for invalid options.`,
  options: {
    "cost-source": { value: "SOURCE", about: "cost of the session as counted by auto, hookline, host or both" },
    template: { value: "TEXT", about: "text to print, with names in braces" },
    timezone: { value: "ZONE", about: "time zone of today (default: that of the system)" },
  },
  examples: ["hookline statusline < status.json", "hookline statusline --template '{model} | {session} | {context}'"],
  async run(call, io) {
    const source = choice(call, "cost-source", costSources) ?? "auto";
    for (const warning of unknownNames(call.text("template") ?? "")) await io.err(`hookline: ${warning}\n`);
    const text = io.stdin.isTTY ? "" : await readAll(io);
    try {
      const options = { env: io.env, home: io.home, ...optionTexts(call, { timezone: "timezone" }) };
      compileLess();
      const line = await statusline(text, options);
      await io.out(`${statuslineText(line, source, call.text("template"))}\n`);
    } catch (error) {
      if (error instanceof Problem && error.code === "usage/timezone") throw error;
      // Errors do not belong in a status bar; hookline usage prints them.
      await io.out("\n");
    } finally {
      compileAsUsual();
    }
    return 0;
  },
};

const costSources = ["auto", "hookline", "host", "both"] as const;
type CostSource = (typeof costSources)[number];

const defaultTemplate = "{model} | {session} session | {today} today | {block} | {context} context | {limits}";

/** Fills in the template. The result has no line breaks and no control characters, whatever the input contains. */
function statuslineText(line: Statusline, source: CostSource, template: string = defaultTemplate): string {
  const figure = (name: string) => figures.get(name)?.(line, source) ?? "";
  const parts = template.split("|").flatMap((part) => {
    const used = namesIn(part);
    if (used.length > 0 && used.every((name) => figure(name) === "")) return [];
    return [part.replace(/\{(\w+)\}/g, (_, name: string) => figure(name)).trim()];
  });
  return plainLine(parts.filter(Boolean).join(" | "));
}

/** A sentence for each name in a template that has no figure. */
function unknownNames(template: string): readonly string[] {
  const unknown = [...new Set(namesIn(template))].filter((name) => !figures.has(name));
  return unknown.map((name) => {
    const near = closestName(name, figures.keys());
    return `Unknown name {${name}} in --template.${near === undefined ? "" : ` Did you mean {${near}}?`}`;
  });
}

function namesIn(template: string): readonly string[] {
  return [...template.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}

/** The names that a template can use, each with its text. */
const figures = new Map<string, (line: Statusline, source: CostSource) => string | undefined>([
  ["model", ({ model }) => model],
  ["session", sessionText],
  ["host", ({ hostMicroUsd }) => (hostMicroUsd === undefined ? undefined : moneyText(hostMicroUsd))],
  ["today", ({ today, isWhole }) => amountText(today.costMicroUsd, today.complete && isWhole)],
  [
    "block",
    ({ block, isWhole }) =>
      block &&
      `${amountText(block.costMicroUsd, block.complete && isWhole)} block (${leftText(block.minutesLeft)} left)`,
  ],
  ["blockLeft", ({ block }) => block && leftText(block.minutesLeft)],
  ["context", ({ context }) => (context === undefined ? undefined : percentText(context))],
  ["limits", ({ limits }) => limits.map(({ name, share }) => `${name} ${percentText(share)}`).join(" ")],
]);

function sessionText({ sessionCost, hostMicroUsd, isWhole }: Statusline, source: CostSource): string | undefined {
  const ours =
    sessionCost === undefined ? undefined : amountText(sessionCost.costMicroUsd, sessionCost.complete && isWhole);
  const host = hostMicroUsd === undefined ? undefined : moneyText(hostMicroUsd);
  if (source === "hookline") return ours;
  if (source === "host") return host;
  if (source === "auto" || ours === undefined || host === undefined) return ours ?? host;
  return `${ours} (Claude Code ${host})`;
}

/** A plus means "at least". */
function amountText(microUsd: number, complete: boolean): string {
  return `${moneyText(microUsd)}${complete ? "" : "+"}`;
}

function leftText(minutes: number): string {
  return minutes < 60 ? `${minutes}m` : `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}

function percentText(share: number): string {
  return `${Math.round(share * 100)}%`;
}

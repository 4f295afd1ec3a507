import { statusline } from "../../usage/index.ts";
import type { Command } from "../command.ts";
import { type CostSource, costSources, statuslineText } from "../print/statusline.ts";
import { readAll } from "../read-all.ts";
import { compileLess } from "../unhurried.ts";

export const command: Command = {
  usage: "[--cost-source auto|hookline|host|both] [--template TEXT]",
  about: `One line for an agent's status bar: reads the client's JSON on stdin, prints model, cost of the session, of today and of the
running block, share of the context window and limits.

It reads only what is new in this session; all else is as the last hookline usage left it. It never prints an error and always ends
with status 0. In a template {model}, {session}, {host}, {today}, {block}, {blockLeft}, {context} and {limits} stand for figures; a
part between bars that has nothing to show is left out.`,
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
    compileLess();
    const text = io.stdin.isTTY ? "" : await readAll(io.stdin);
    const asked = call.text("cost-source") ?? "auto";
    const source = (costSources as readonly string[]).includes(asked) ? (asked as CostSource) : "auto";
    const timezone = call.text("timezone");
    try {
      const line = await statusline(text, {
        env: io.env,
        home: io.home,
        ...(timezone === undefined ? {} : { timezone }),
      });
      await io.out(`${statuslineText(line, source, call.text("template"))}\n`);
    } catch {
      // A status bar is no place for our troubles: hookline usage tells them.
      await io.out("\n");
    }
    return 0;
  },
};

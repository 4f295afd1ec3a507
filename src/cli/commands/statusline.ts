import { Problem } from "../../protocol/index.ts";
import { statusline } from "../../usage/index.ts";
import type { Command } from "../command-line/command.ts";
import { oneOf } from "../option-values.ts";
import { costSources, statuslineText } from "../print/statusline.ts";
import { readAll } from "../read-all.ts";
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

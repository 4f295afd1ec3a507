import { messageOf, Problem, plainLine } from "../../../protocol/internal.ts";
import {
  type SearchHit,
  type SearchOptions,
  type SearchResult,
  searchIndex,
  searchSessions,
} from "../../../sessions/internal.ts";
import type { Call, Command, Io } from "../../command-line/command.ts";
import { jsonOption, rootOption, whereFrom } from "../../options/session-options.ts";
import { counted, sizeText, timeText } from "../../print/figures.ts";
import { jsonText } from "../../print/json.ts";
import { styleFor } from "../../print/style.ts";
import { cut } from "../../print/table.ts";
import { countFrom, timeFrom } from "./numbers.ts";

export const command: Command = {
  usage:
    "TEXT… [--results] [--thinking] [--subagents] [--regex] [--case] [--project DIR] [--since TIME] [--limit N] [--index] [--json]",
  about: `Finds words in prompts, answers, titles, tool names and tool inputs. Lines with the whole phrase come first, then those with all of
its words; prompts and titles before answers before tools; newer before older.

With --json: { query, total, files, bytes, unread: [{ file, why }], hits: [{ session, file, agentId, uuid, turn, offset, length, timestamp, kind, phrase, snippet }] }.`,
  options: {
    results: { type: "boolean", about: "also in what tools gave back" },
    thinking: { type: "boolean", about: "also in thinking" },
    subagents: { type: "boolean", about: "also in subagents' transcripts" },
    agents: { type: "boolean", about: "the older name of --subagents", aliasOf: { option: "subagents" } },
    regex: { type: "boolean", about: "TEXT is a regular expression" },
    case: { type: "boolean", about: "tell large from small letters" },
    project: { type: "string", value: "DIR", about: "only sessions of that directory" },
    since: { type: "string", value: "TIME", about: "only what was written since then: 2026-01-31, 2h, 7d" },
    limit: { type: "string", value: "N", about: "how many hits (default: 20); 0 for all" },
    index: {
      type: "boolean",
      excludes: ["regex"],
      about: "use a table of words, made on the first run: prompts, answers and titles only",
    },
    root: rootOption,
    json: jsonOption,
  },
  examples: [
    'hookline sessions search "rate limit"',
    "hookline sessions search --regex 'TODO\\(\\w+\\)' --results --since 30d",
  ],
  async run(call, io) {
    const query = call.words.join(" ");
    if (query.trim() === "") throw new Problem("cli/usage", "hookline sessions search needs words to look for.");
    const options = optionsFrom(call, io);
    const result = await (call.flag("index") ? searchIndex : searchSessions)(query, options);
    if (io.terminal.err) await io.err("\r\u001b[K");
    await io.out(
      call.flag("json") ? jsonText({ query, ...result, hits: result.hits.map(rowOf) }) : resultText(query, result, io),
    );
    if (!call.flag("json")) for (const { why } of result.unread) await io.err(`Not searched: ${plainLine(why)}\n`);
    return 0;
  },
};

function optionsFrom(call: Call, io: Io): SearchOptions {
  const project = call.text("project");
  const sinceMs = timeFrom(call.text("since"));
  if (call.flag("regex")) checkRegex(call.words.join(" "));
  return {
    ...whereFrom(call, io),
    results: call.flag("results"),
    thinking: call.flag("thinking"),
    agents: call.flag("subagents"),
    regex: call.flag("regex"),
    matchCase: call.flag("case"),
    ...(project === undefined ? {} : { project }),
    ...(sinceMs === undefined ? {} : { sinceMs }),
    limit: (countFrom(call.text("limit"), "limit") ?? 20) || Number.MAX_SAFE_INTEGER,
    signal: io.signal,
    ...(io.terminal.err ? { progress: progressTo(io) } : {}),
  };
}

function checkRegex(source: string): void {
  try {
    new RegExp(source, "u");
  } catch (cause) {
    const said = messageOf(cause);
    throw new Problem("cli/usage", `${said}. Leave out --regex to look for the text as it is.`, { cause });
  }
}

/** At most ten times a second: a terminal is slower than the search. */
function progressTo(io: Io): NonNullable<SearchOptions["progress"]> {
  let last = 0;
  return ({ files, bytes }) => {
    if (Date.now() - last < 100) return;
    last = Date.now();
    void io.err(`\r${counted(files, "file")}, ${sizeText(bytes)}\u001b[K`);
  };
}

function rowOf({ place: _, ...hit }: SearchHit): Record<string, unknown> {
  return hit;
}

function resultText(query: string, { hits, total, files, bytes }: SearchResult, io: Io): string {
  const style = styleFor(io);
  const looked = `${counted(files, "file")}, ${sizeText(bytes)}`;
  if (hits.length === 0) return `Nothing holds "${plainLine(query)}" in ${looked}.\n`;
  const lines = hits.flatMap((hit) => {
    const where = [
      hit.kind,
      hit.turn === undefined ? "" : `turn ${hit.turn}`,
      hit.agentId === undefined ? "" : `subagent ${hit.agentId}`,
    ];
    const head = `${style.cyan(hit.session.slice(0, 8))}  ${timeText(hit.timestamp)}  ${style.dim(plainLine(where.filter(Boolean).join(", ")))}`;
    const snippet = plainLine(hit.snippet);
    return [head, `  ${io.terminal.out ? cut(snippet, io.terminal.columns - 2) : snippet}`];
  });
  const more = total > hits.length ? `, ${hits.length} of them shown` : "";
  return `${[...lines, style.dim(`${counted(total, "hit")}${more}, in ${looked}`)].join("\n")}\n`;
}

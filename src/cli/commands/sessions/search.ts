import { defined, messageOf, Problem, plainLine } from "../../../protocol/internal.ts";
import { type SearchOptions, type SearchResult, searchIndex, searchSessions } from "../../../sessions/internal.ts";
import type { Command, Io, ParsedCall } from "../../command-line/command.ts";
import { pointInTime, wholeNumber } from "../../options/option-values.ts";
import { sessionOptions, sessionSearch } from "../../options/session-options.ts";
import { plural, sizeText, timeText } from "../../print/figures.ts";
import { truncate } from "../../print/table.ts";
import { jsonText, progressLine, styleFor } from "../../print/terminal.ts";

export const command: Command = {
  usage:
    "TEXT… [--results] [--thinking] [--subagents] [--regex] [--case] [--project DIR] [--since TIME] [--limit N] [--index] [--json]",
  about: `Searches prompts, answers, titles, tool names and tool inputs. Lines with the whole phrase come first, then lines with all of its
words; prompts and titles before answers before tools; newer before older.

With --json: { query, total, files, bytes, unread: [{ file, why }], hits: [{ session, file, agentId, uuid, turn, offset, length, timestamp, kind, phrase, snippet }] }.`,
  mostArguments: "any",
  options: {
    results: { about: "also search tool results" },
    thinking: { about: "also search thinking" },
    subagents: { about: "also search transcripts of subagents" },
    regex: { about: "TEXT is a regular expression" },
    case: { about: "match case" },
    project: { value: "DIR", about: "only sessions of this directory" },
    since: { value: "TIME", about: "only since this time: 2026-01-31, 2h, 7d" },
    limit: { value: "N", about: "maximum number of hits (default: 20; 0 for all)" },
    index: { excludes: ["regex"], about: "use an index, built on the first run, of prompts, answers and titles" },
    ...sessionOptions,
  },
  aliases: { agents: "subagents" },
  examples: [
    'hookline sessions search "rate limit"',
    "hookline sessions search --regex 'TODO\\(\\w+\\)' --results --since 30d",
  ],
  async run(call, io) {
    const query = call.operands.join(" ");
    if (query.trim() === "") throw new Problem("cli/usage", "sessions search requires a search text.");
    const progress = progressLine("searching", io);
    const options: SearchOptions = {
      ...optionsFrom(call, io),
      progress: ({ files, bytes }) => progress.show(`${plural(files, "file")}, ${sizeText(bytes)}`),
    };
    const result = await (call.flag("index") ? searchIndex : searchSessions)(query, options);
    await progress.end();
    const hits = result.hits.map(({ place: _, ...hit }) => hit);
    await io.out(call.flag("json") ? jsonText({ query, ...result, hits }) : resultText(query, result, io));
    if (!call.flag("json")) for (const { why } of result.unread) await io.err(`Not searched: ${plainLine(why)}\n`);
    return 0;
  },
};

function optionsFrom(call: ParsedCall, io: Io): SearchOptions {
  if (call.flag("regex")) checkRegex(call.operands.join(" "));
  return {
    ...sessionSearch(call, io),
    results: call.flag("results"),
    thinking: call.flag("thinking"),
    agents: call.flag("subagents"),
    regex: call.flag("regex"),
    matchCase: call.flag("case"),
    ...defined({ project: call.text("project"), sinceMs: pointInTime(call, "since") }),
    limit: (wholeNumber(call, "limit") ?? 20) || Number.MAX_SAFE_INTEGER,
    signal: io.signal,
  };
}

function checkRegex(source: string): void {
  try {
    new RegExp(source, "u");
  } catch (cause) {
    throw new Problem("cli/usage", `${messageOf(cause)}. Omit --regex to search for the text itself.`, { cause });
  }
}

function resultText(query: string, { hits, total, files, bytes }: SearchResult, io: Io): string {
  const style = styleFor(io);
  const searched = `${plural(files, "file")}, ${sizeText(bytes)}`;
  if (hits.length === 0) return `No match for "${plainLine(query)}" in ${searched}.\n`;
  const lines = hits.flatMap((hit) => {
    const where = [
      hit.kind,
      hit.turn === undefined ? "" : `turn ${hit.turn}`,
      hit.agentId === undefined ? "" : `subagent ${hit.agentId}`,
    ];
    const head = `${style.cyan(hit.session.slice(0, 8))}  ${timeText(hit.timestamp)}  ${style.dim(plainLine(where.filter(Boolean).join(", ")))}`;
    const snippet = plainLine(hit.snippet);
    return [head, `  ${truncate(snippet, io.terminal.columns - 2)}`];
  });
  const more = total > hits.length ? `, ${hits.length} shown` : "";
  return `${[...lines, style.dim(`${plural(total, "hit")}${more}, in ${searched}`)].join("\n")}\n`;
}

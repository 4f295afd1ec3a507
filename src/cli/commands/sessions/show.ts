import { Problem, plainLine, plainText } from "../../../protocol/internal.ts";
import {
  type DocumentAgent,
  type DocumentItem,
  documentOf,
  noBranch,
  type Session,
  type SessionPlace,
  sessionAt,
  type TranscriptItem,
  textOfEntry,
} from "../../../sessions/internal.ts";
import type { Command, Io, ParsedCall } from "../../command-line/command.ts";
import { wholeNumber } from "../../options/option-values.ts";
import {
  contentOptions,
  includedContent,
  namedSession,
  sessionOptions,
  warnTruncatedArchives,
} from "../../options/session-options.ts";
import { durationText, timeText } from "../../print/figures.ts";
import { pad, truncate } from "../../print/table.ts";
import { jsonText, type Style, styleFor } from "../../print/terminal.ts";

export const command: Command = {
  usage: "[SESSION] [--turn N | --last N] [--raw] [--subagents] [--thinking] [--results] [--json]",
  about: `Shows a session turn by turn, or its last entries without reading the rest.

With --json: the session as exported (schema hookline.session/1), with statistics in stats; with --last: { session, file, entries }. With
--raw the lines of the transcript, one JSON record each.`,
  mostArguments: 1,
  options: {
    turn: { excludes: ["last"], value: "N", about: "only this turn, counted from 1" },
    last: { value: "N", about: "only the last N entries, read from the end of the file" },
    raw: { about: "print the lines of the transcript" },
    ...contentOptions,
    ...sessionOptions,
  },
  aliases: { agents: "subagents" },
  examples: ["hookline sessions show last --turn 3 --results", "hookline sessions show 1a2b3c4d --last 20 --raw"],
  async run(call, io) {
    const place = await namedSession(call, io);
    const session = sessionAt(place);
    if (call.text("last") !== undefined || call.flag("raw")) await showEntries(session, place, call, io);
    else await showTurns(session, call, io);
    return 0;
  },
};

async function entriesFor(session: Session, call: ParsedCall): Promise<readonly TranscriptItem[]> {
  const last = wholeNumber(call, "last");
  if (last !== undefined) return session.window({ last });
  const { main } = await session.load();
  const leaf = call.text("branch");
  const number = wholeNumber(call, "turn");
  if (leaf !== undefined && main.branches.entriesOf(leaf) === undefined) throw noBranch(leaf);
  if (number !== undefined) return turnOf(main.turns(leaf).turns, number).entries;
  return leaf === undefined ? main.items : main.history(leaf);
}

async function showEntries(session: Session, { id, file }: SessionPlace, call: ParsedCall, io: Io): Promise<void> {
  const items = await entriesFor(session, call);
  if (call.flag("raw")) {
    for (const item of items) {
      // Account data is never printed.
      if (item.kind === "bridge-session") continue;
      const text = Buffer.from(item.kind === "unreadable" ? item.bytes() : item.raw()).toString("utf8");
      await io.out(`${io.terminal.out ? plainText(text) : text}\n`);
    }
  } else if (call.flag("json")) {
    const entries = items.map(({ ...item }) =>
      item.kind === "bridge-session" ? { kind: item.kind, line: item.line } : item,
    );
    await io.out(jsonText({ session: id, file, entries }));
  } else {
    const style = styleFor(io);
    for (const item of items) await io.out(`${entryLine(item, style, io.terminal.columns)}\n`);
  }
}

async function showTurns(session: Session, call: ParsedCall, io: Io): Promise<void> {
  const model = await session.load(io.signal);
  await warnTruncatedArchives(model, io);
  const number = wholeNumber(call, "turn");
  if (number !== undefined) turnOf(model.main.turns(call.text("branch")).turns, number);
  const document = documentOf(model, includedContent(call));
  const items = number === undefined ? document.items : document.items.filter(({ turn }) => turn === number);
  if (call.flag("json")) {
    const { speed: _, ...stats } = await session.stats();
    await io.out(jsonText({ ...document, items, stats }));
    return;
  }
  const style = styleFor(io);
  const facts = [document.id, document.cwd, document.gitBranch, document.models.join(", ")];
  await io.out(
    `${style.bold(plainLine(document.title ?? document.id))}\n${style.dim(plainLine(facts.filter(Boolean).join(" · ")))}\n`,
  );
  for (const item of items) await io.out(itemText(item, style, ""));
}

function turnOf<T extends { readonly number: number }>(turns: readonly T[], number: number): T {
  const turn = turns.find((one) => one.number === number);
  if (turn !== undefined) return turn;
  const turnsText = turns.length === 0 ? "It has no turns." : `It has turns 1 to ${turns.length}.`;
  throw new Problem("cli/usage", `This session has no turn ${number}. ${turnsText}`);
}

function itemText(item: DocumentItem, style: Style, indent: string): string {
  const put = (head: string, body: string) =>
    `${indent}${head}\n${body === "" ? "" : `${block(body, `${indent}  `)}\n`}`;
  switch (item.kind) {
    case "prompt":
      return `\n${put(`${style.cyan(`turn ${item.turn ?? "–"}`)} ${style.dim(`${plainLine(item.role)} ${timeText(item.timestamp)}`)}`, item.text)}`;
    case "answer":
      return put(style.green("answer"), item.text);
    case "thinking":
    case "command":
      return put(style.dim(item.kind), item.text);
    case "tool": {
      const figures = [item.status, durationText(item.durationMs)].filter(Boolean).join(", ");
      const input = typeof item.input === "string" ? item.input : JSON.stringify(item.input);
      const head = `${style.blue("tool")} ${plainLine(item.name)} ${style.dim(figures)}`;
      return `${put(head, [input, item.output ?? ""].filter(Boolean).join("\n"))}${item.agent === undefined ? "" : agentText(item.agent, style, `${indent}  `)}`;
    }
    case "hook":
      return put(
        `${style.yellow("hook")} ${plainLine([item.event, item.name, item.type].filter(Boolean).join(" · "))}`,
        item.text,
      );
    case "feedback":
      return put(style.yellow("stop hook feedback"), item.text);
    case "compaction":
      return put(style.yellow(`compaction ${plainLine(item.trigger ?? "")}`), item.summary ?? "");
    case "api-error":
      return put(style.red("API error"), item.text);
    case "interrupt":
      return put(style.red("interrupted"), "");
  }
}

function agentText(agent: DocumentAgent, style: Style, indent: string): string {
  const name = plainLine([agent.type, agent.description].filter(Boolean).join(" · "));
  return `${indent}${style.green("subagent")} ${name} ${style.dim(plainLine(agent.id))}\n${agent.items.map((item) => itemText(item, style, `${indent}  `)).join("")}`;
}

function block(text: string, indent: string): string {
  return plainText(text)
    .trimEnd()
    .split("\n")
    .map((line) => `${indent}${line}`)
    .join("\n");
}

/** One entry on one line: its time, its kind and the beginning of its text. */
function entryLine(item: TranscriptItem, style: Style, limit: number): string {
  const isUnreadable = item.kind === "unreadable";
  const time = pad(isUnreadable ? "" : timeText(item.timestamp), 16);
  const name = nameOf(item);
  const text = isUnreadable ? `${item.why}, ${item.length} bytes at ${item.offset}` : textOfEntry(item);
  const room = Math.max(0, limit - 16 - name.length - 4);
  const paint = isUnreadable ? style.red : style.cyan;
  return `${style.dim(time)}  ${paint(name)}  ${truncate(plainLine(text), room)}`.trimEnd();
}

function nameOf(item: TranscriptItem): string {
  switch (item.kind) {
    case "user":
      return item.role;
    case "system":
      return `system ${item.subtype}`;
    case "attachment":
      return item.type;
    case "other":
      return plainLine(item.name) || "other";
    default:
      return item.kind;
  }
}

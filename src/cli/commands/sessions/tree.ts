import { stripVTControlCharacters } from "node:util";
import { plainLine } from "../../../protocol/internal.ts";
import {
  type Branch,
  type SessionModel,
  type Subagent,
  sessionAt,
  type Turn,
  titleOf,
  userText,
} from "../../../sessions/internal.ts";
import type { Command, Io } from "../../command-line/command.ts";
import { namedSession, sessionOptions, warnTruncatedArchives } from "../../options/session-options.ts";
import { durationText, plural, timeText } from "../../print/figures.ts";
import { truncate } from "../../print/table.ts";
import { jsonText, type Style, styleFor } from "../../print/terminal.ts";

export const command: Command = {
  usage: "[SESSION] [--json]",
  about: `Shows the structure of a session: its turns, the subagents each turn started, at any depth, and abandoned branches.

With --json: { session, file, title, turns: [{ number, role, prompt, startedAt, durationMs, ended, calls, tools, agents }], agents, branches,
compactions, lineage }; a subagent is { id, type, description, linkedBy, background, calls, tools, agents }.`,
  mostArguments: 1,
  options: sessionOptions,
  examples: ["hookline sessions tree last", "hookline sessions tree 1a2b3c4d --json"],
  async run(call, io) {
    const place = await namedSession(call, io);
    const session = sessionAt(place);
    const model = await session.load(io.signal);
    await warnTruncatedArchives(model, io);
    const lineage = await session.lineage();
    await io.out(call.flag("json") ? jsonText({ ...treeOf(model), lineage }) : treeText(model, lineage, io));
    return 0;
  },
};

function treeOf(model: SessionModel): Record<string, unknown> {
  const { turns } = model.main.turns();
  return {
    session: model.id,
    file: model.place.file,
    title: titleOf(model.main.entries),
    turns: turns.map((turn) => ({
      number: turn.number,
      role: turn.start.role,
      prompt: userText(turn.start),
      startedAt: turn.startedAt,
      durationMs: turn.durationMs,
      ended: turn.ended,
      calls: turn.calls.length,
      tools: turn.toolCalls.length,
      agents: agentsOf(turn, model).map(({ id }) => id),
    })),
    agents: topAgents(model).map(agentOf),
    branches: model.main.branches.list(),
    compactions: model.main.compactions.map(({ boundary, trigger, preTokens, postTokens }) => ({
      uuid: boundary.uuid,
      trigger,
      preTokens,
      postTokens,
    })),
  };
}

function agentOf(agent: Subagent): Record<string, unknown> {
  return {
    id: agent.id,
    type: agent.meta?.agentType,
    description: agent.meta?.description,
    linkedBy: agent.linkedBy,
    background: agent.background,
    calls: agent.thread.calls.length,
    tools: agent.thread.toolCalls.length,
    agents: agent.children.map(agentOf),
  };
}

function topAgents({ agents }: SessionModel): Subagent[] {
  return agents.filter(({ parentId }) => parentId === undefined);
}

function agentsOf({ toolCalls }: Turn, model: SessionModel): Subagent[] {
  const started = new Set(toolCalls.map(({ id }) => id));
  return topAgents(model).filter(({ toolCall }) => toolCall !== undefined && started.has(toolCall.id));
}

function treeText(model: SessionModel, lineage: readonly { readonly id: string }[], io: Io): string {
  const style = styleFor(io);
  const { turns, localCommands } = model.main.turns();
  const placed = new Set(turns.flatMap((turn) => agentsOf(turn, model)));
  const unplaced = topAgents(model).filter((agent) => !placed.has(agent));
  const abandoned = model.main.branches.list().filter(({ active }) => !active);
  const nodes: Node[] = [
    ...lineage.map(({ id }) => ({ text: `${style.dim("continues")} ${plainLine(id)}`, below: [] })),
    ...turns.map((turn) => turnNode(turn, model, style)),
    ...unplaced.map((agent) => agentNode(agent, style)),
    ...abandoned.map((branch) => branchNode(branch, style)),
  ];
  const title = plainLine(titleOf(model.main.entries) ?? "");
  const head = `${style.bold(model.id)}  ${title}`;
  const facts = [
    plural(turns.length, "turn"),
    plural(model.agents.length, "subagent"),
    plural(model.main.compactions.length, "compaction"),
    plural(localCommands.length, "local command"),
  ];
  return `${[head, style.dim(facts.join(", ")), ...treeLines(nodes, "", io.terminal.columns)].join("\n")}\n`;
}

interface Node {
  readonly text: string;
  /** Plain text after it, cut to the rest of the line. */
  readonly rest?: string;
  readonly below: readonly Node[];
}

function turnNode(turn: Turn, model: SessionModel, style: Style): Node {
  const figures = [
    plural(turn.calls.length, "call"),
    plural(turn.toolCalls.length, "tool"),
    durationText(turn.durationMs),
    turn.ended,
  ];
  return {
    text: `${style.cyan(`turn ${turn.number}`)} ${timeText(turn.startedAt)} ${style.dim(figures.filter(Boolean).join(", "))}`,
    rest: plainLine(userText(turn.start)),
    below: agentsOf(turn, model).map((agent) => agentNode(agent, style)),
  };
}

function agentNode(agent: Subagent, style: Style): Node {
  const { meta, thread, linkedBy, background } = agent;
  const figures = [
    plural(thread.calls.length, "call"),
    plural(thread.toolCalls.length, "tool"),
    background ? "background" : "",
    linkedBy === "none" ? "started by an unknown call" : "",
  ];
  return {
    text: `${style.green("subagent")} ${plainLine(meta?.agentType ?? agent.id)} ${style.dim(figures.filter(Boolean).join(", "))}`,
    rest: plainLine(meta?.description ?? ""),
    below: agent.children.map((child) => agentNode(child, style)),
  };
}

function branchNode({ kind, leaf, size, forkPoint, summary }: Branch, style: Style): Node {
  const from = forkPoint === null || forkPoint === undefined ? "the beginning" : plainLine(forkPoint).slice(0, 8);
  return {
    text: `${style.yellow(`abandoned branch`)} ${kind ?? ""} at ${from}, ${plural(size, "entry", "entries")}, ends at ${plainLine(leaf)}`,
    rest: plainLine(summary ?? ""),
    below: [],
  };
}

function treeLines(nodes: readonly Node[], indent: string, limit: number): string[] {
  return nodes.flatMap(({ text, rest = "", below }, index) => {
    const last = index === nodes.length - 1;
    const room = limit - indent.length - 3 - stripVTControlCharacters(text).length - 2;
    const tail = rest === "" || room < 4 ? "" : `  ${truncate(rest, room)}`;
    return [
      `${indent}${last ? "└─ " : "├─ "}${text}${tail}`,
      ...treeLines(below, `${indent}${last ? "   " : "│  "}`, limit),
    ];
  });
}

import { plainLine, plainText } from "../../protocol/internal.ts";
import type { DocumentAgent, DocumentItem, DocumentTool, SessionDocument } from "./document.ts";

/**
 * A session as Markdown. Prompts, answers and outputs are in quotes and fences that they cannot close, without HTML,
 * without pictures from elsewhere, and without links to anything but http and https.
 */
export function toMarkdown(document: SessionDocument): string {
  const facts = [
    ["Session", document.id],
    ["Directory", document.cwd],
    ["Branch", document.gitBranch],
    ["Claude Code", document.version],
    ["From", document.startedAt],
    ["To", document.endedAt],
    ["Models", document.models.join(", ")],
  ] as const;
  const head = [
    `# ${inline(document.title ?? document.id)}`,
    "",
    ...facts.flatMap(([name, value]) => (value ? [`- ${name}: ${inline(value)}`] : [])),
    "",
  ];
  return `${[...head, ...document.items.flatMap((item) => itemLines(item, 2))].join("\n").trimEnd()}\n`;
}

function itemLines(item: DocumentItem, level: number): string[] {
  const heading = (text: string) => [`${"#".repeat(Math.min(level, 6))} ${text}`, ""];
  const at = item.timestamp === undefined ? "" : ` · ${inline(item.timestamp)}`;
  switch (item.kind) {
    case "prompt":
      return [
        ...heading(`Turn ${item.turn ?? "–"} · ${inline(item.role)}${at}`),
        ...quoted(item.text),
        ...pictures(item.images.length),
      ];
    case "answer":
      return quoted(item.text, item.model === undefined ? "Answer" : `Answer · ${inline(item.model)}`);
    case "thinking":
      return quoted(item.text, "Thinking");
    case "tool":
      return toolLines(item, level);
    case "hook":
      return [
        `**Hook** ${inline([item.event, item.name, item.type].filter(Boolean).join(" · "))}`,
        "",
        ...(item.text === "" ? [] : fenced(item.text)),
      ];
    case "feedback":
      return quoted(item.text, "Stop hook feedback");
    case "command":
      return ["**Command**", "", ...fenced(item.text)];
    case "compaction":
      return [
        ...heading(`Compaction${item.trigger === undefined ? "" : ` · ${inline(item.trigger)}`}`),
        ...quoted(item.summary ?? ""),
      ];
    case "api-error":
      return quoted(item.text, "API error");
    case "interrupt":
      return [`**${inline(item.text)}**`, ""];
  }
}

function toolLines(tool: DocumentTool, level: number): string[] {
  const took = tool.durationMs === undefined ? "" : ` · ${tool.durationMs} ms`;
  return [
    `**Tool** ${inline(tool.name)} · ${inline(tool.status)}${took}`,
    "",
    ...fenced(typeof tool.input === "string" ? tool.input : JSON.stringify(tool.input, null, 2), "json"),
    ...(tool.output ? fenced(tool.output) : []),
    ...pictures(tool.images?.length ?? 0),
    ...(tool.agent === undefined ? [] : agentLines(tool.agent, level)),
  ];
}

function agentLines(agent: DocumentAgent, level: number): string[] {
  const name = [agent.type, agent.description].filter(Boolean).join(" · ");
  return [
    `${"#".repeat(Math.min(level + 1, 6))} Agent ${inline(agent.id)}${name === "" ? "" : ` · ${inline(name)}`}`,
    "",
    ...agent.items.flatMap((item) => itemLines(item, level + 2)),
    `*End of agent ${inline(agent.id)}*`,
    "",
  ];
}

function pictures(count: number): string[] {
  return count === 0 ? [] : [`*${count} ${count === 1 ? "picture" : "pictures"} left out*`, ""];
}

/** Text on one line in which nothing is markup. */
function inline(text: string): string {
  return plainLine(text).replace(/[\\`*_{}[\]()#+!|<>&~]/g, (char) =>
    char === "<" ? "&lt;" : char === "&" ? "&amp;" : `\\${char}`,
  );
}

/** Markdown of its own, inside a quote: it can be read as it was meant, and it cannot leave. */
function quoted(text: string, label?: string): string[] {
  const head = label === undefined ? [] : [`**${label}**`, ""];
  if (text.trim() === "") return head;
  let fence: string | undefined;
  const lines = plainText(text)
    .split("\n")
    .map((line) => {
      const mark = /^\s{0,3}(`{3,}|~{3,})/.exec(line)?.[1];
      if (mark !== undefined && fence === undefined) fence = mark;
      else if (mark !== undefined && fence !== undefined && mark[0] === fence[0] && mark.length >= fence.length)
        fence = undefined;
      else if (fence === undefined) return harmless(line);
      return line;
    });
  if (fence !== undefined) lines.push(fence);
  return [...head, ...lines.map((line) => `> ${line}`.trimEnd()), ""];
}

/** No tags, no pictures, no links but http and https. */
function harmless(line: string): string {
  return line
    .replaceAll("<", "&lt;")
    .replaceAll("![", "!\\[")
    .replace(/\]\((?!https?:\/\/)/gi, "]\\(")
    .replace(/^(\s*\[[^\]]*\]):/, "$1\\:");
}

/** A fence longer than any inside. */
function fenced(text: string, language = ""): string[] {
  const body = plainText(text);
  const longest = Math.max(2, ...[...body.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return [`${fence}${language}`, ...body.split("\n"), fence, ""];
}

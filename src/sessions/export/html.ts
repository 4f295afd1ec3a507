import { createHash } from "node:crypto";
import { plainText } from "../../protocol/internal.ts";
import type { DocumentAgent, DocumentImage, DocumentItem, DocumentTool, SessionDocument } from "./document.ts";

/**
 * A session as one HTML file that refers to nothing outside itself and runs nothing. Everything from the transcript is
 * written as text; the policy in the file forbids scripts, frames, forms, and any request.
 */
export function toHtml(document: SessionDocument): string {
  const title = text(document.title ?? document.id);
  const styleHash = createHash("sha256").update(style).digest("base64");
  const { id, cwd, gitBranch, version, startedAt, models } = document;
  const facts = [id, cwd, gitBranch, version, startedAt, models.join(", ")];
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${styleHash}'; img-src data:; base-uri 'none'; form-action 'none'">`,
    '<meta name="referrer" content="no-referrer">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${title}</title>`,
    `<style>${style}</style>`,
    "</head>",
    "<body>",
    "<header>",
    `<h1>${title}</h1>`,
    `<p class="facts">${facts
      .filter(Boolean)
      .map((fact) => `<span>${text(fact ?? "")}</span>`)
      .join(" ")}</p>`,
    "</header>",
    "<main>",
    ...document.items.map(itemHtml),
    "</main>",
    "</body>",
    "</html>",
    "",
  ].join("\n");
}

function itemHtml(item: DocumentItem): string {
  const name = item.kind === "api-error" ? "error" : item.kind;
  return `<section class="${name}">${contentHtml(item)}</section>`;
}

function contentHtml(item: DocumentItem): string {
  switch (item.kind) {
    case "prompt": {
      const turn = item.turn === undefined ? "" : `Turn ${item.turn}`;
      const time = item.timestamp === undefined ? "" : `<time>${text(item.timestamp)}</time>`;
      const heading = `<h2>${turn} <small>${text(item.role)}</small> ${time}</h2>`;
      return `${heading}${prose(item.text)}${pictures(item.images)}`;
    }
    case "answer": {
      const model = item.model === undefined ? "" : `<small>${text(item.model)}</small>`;
      return `${model}${prose(item.text)}`;
    }
    case "thinking":
      return folded("Thinking", prose(item.text));
    case "tool":
      return toolHtml(item);
    case "hook":
      return folded(listed("Hook", item.event, item.name, item.type), block(item.text));
    case "feedback":
      return `<small>Stop hook feedback</small>${prose(item.text)}`;
    case "command":
      return block(item.text);
    case "compaction": {
      const tokens = `${item.preTokens ?? "?"} → ${item.postTokens ?? "?"} tokens`;
      return folded(`Compaction ${text(item.trigger ?? "")} ${tokens}`, prose(item.summary ?? ""));
    }
    case "api-error":
    case "interrupt":
      return prose(item.text);
  }
}

function toolHtml(tool: DocumentTool): string {
  const took = tool.durationMs === undefined ? "" : ` · ${tool.durationMs} ms`;
  const input = typeof tool.input === "string" ? tool.input : JSON.stringify(tool.input, null, 2);
  const parts = [
    block(input),
    tool.output ? block(tool.output, "output") : "",
    pictures(tool.images ?? []),
    tool.agent === undefined ? "" : agentHtml(tool.agent),
  ];
  return folded(`${text(tool.name)} · <span class="status">${text(tool.status)}</span>${took}`, parts.join(""));
}

function agentHtml({ type, description, id, items }: DocumentAgent): string {
  const name = listed("Agent", type, description, id);
  return `<div class="agent">${folded(name, items.map(itemHtml).join("\n"))}</div>`;
}

function listed(...parts: readonly (string | undefined)[]): string {
  return text(parts.filter(Boolean).join(" · "));
}

/** `summary` is safe markup. */
function folded(summary: string, inner: string): string {
  return `<details><summary>${summary}</summary>${inner}</details>`;
}

function prose(content: string): string {
  return `<div class="text">${linked(content)}</div>`;
}

function block(content: string, kind = "input"): string {
  return `<pre class="${kind}">${text(content)}</pre>`;
}

function pictures(images: readonly DocumentImage[]): string {
  return images
    .map(({ mediaType, data }) => `<img alt="picture" src="data:${text(mediaType)};base64,${text(data)}">`)
    .join("");
}

/** Web addresses become links; anything else stays text. */
function linked(content: string): string {
  return plainText(content)
    .split(/(https?:\/\/[^\s<>"'`]+)/gi)
    .map((part, index) => (index % 2 === 1 ? link(part) : text(part)))
    .join("");
}

function link(address: string): string {
  const href = URL.canParse(address) ? new URL(address) : undefined;
  if (href?.protocol !== "https:" && href?.protocol !== "http:") return text(address);
  return `<a class="out" rel="noopener noreferrer nofollow" href="${text(href.href)}">${text(address)}</a>`;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;",
};

/** Safe between tags and in quoted attributes. */
function text(content: string): string {
  return plainText(content).replace(/[&<>"'`]/g, (char) => entities[char] ?? "");
}

/** The content security policy of the file allows this style by its hash, and no other. */
const style: string = `
:root { color-scheme: light dark; --line: #8884; --soft: #8882; --accent: #3b6fd4; --bad: #c0392b; }
body { margin: 0 auto; max-width: 56rem; padding: 1.5rem 1rem 4rem; font: 16px/1.55 system-ui, sans-serif; }
h1 { font-size: 1.5rem; overflow-wrap: anywhere; }
h2 { font-size: 1rem; margin: 0 0 .4rem; }
small, time, .facts span { color: #888; font-weight: normal; font-size: .85rem; }
.facts span { margin-right: 1rem; overflow-wrap: anywhere; }
section { border-left: 3px solid var(--line); margin: .8rem 0; padding: .2rem 0 .2rem .9rem; }
section.prompt { border-color: var(--accent); margin-top: 2rem; }
section.error, section.interrupt, section.feedback { border-color: var(--bad); }
.text { white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; }
pre { background: var(--soft); border-radius: 6px; margin: .4rem 0; max-height: 30rem; overflow: auto; padding: .6rem .8rem; font-size: .85rem; white-space: pre-wrap; overflow-wrap: anywhere; }
summary { cursor: pointer; overflow-wrap: anywhere; }
.agent { margin-left: .5rem; }
img { display: block; max-width: 100%; margin: .4rem 0; }
a.out::after { content: " \\2197"; }
`;

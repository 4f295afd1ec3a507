import { inputIssue } from "../check-tool-input.ts";
import { inputSchema, objectSchema, plain } from "../json-schema.ts";
import { type Tool, type ToolContext, type ToolResult, toolError, toolSuccess } from "../tool.ts";
import { fetchPage, urlFault, type WebFetchOptions, type WebPage } from "./fetch-page.ts";

const maxChars = 100_000;

export function webFetchTool(options: WebFetchOptions): Tool {
  return {
    name: "WebFetch",
    description:
      "Gets a page of the public internet and answers a question about it. A redirect to another host is not followed: the answer names the new address.",
    readOnly: true,
    inputSchema: inputSchema({
      url: { type: "string", description: "The address, http or https" },
      prompt: { type: "string", description: "What to find out from the page" },
    }),
    responseSchema: objectSchema({
      bytes: plain.number,
      code: plain.number,
      codeText: plain.string,
      result: plain.string,
      durationMs: plain.number,
      url: plain.string,
    }),
    render: (response) => (response as { result: string }).result,
    refuse: ({ url }) => (URL.canParse(String(url)) ? undefined : inputIssue("url", "Invalid URL")),
    run: ({ url, prompt }, context) => fetchAndDigest(String(url), String(prompt), options, context),
  };
}

async function fetchAndDigest(
  url: string,
  prompt: string,
  options: WebFetchOptions,
  { now, signal }: ToolContext,
): Promise<ToolResult> {
  const startedAt = now();
  const fault = urlFault(url);
  if (fault !== undefined) return toolError(fault);
  const fetched = await fetchPage(new URL(url), options, signal);
  if (signal.aborted) return toolError("The page was not fetched: interrupted.", true);
  if ("error" in fetched) return toolError(fetched.error);
  const { code, codeText } = fetched;
  const success = (bytes: number, result: string): ToolResult =>
    toolSuccess({ bytes, code, codeText, result, durationMs: Math.round(now() - startedAt), url });
  if ("movedTo" in fetched) {
    const { from, movedTo } = fetched;
    return success(
      0,
      `REDIRECT DETECTED: The URL redirects to a different host.\n\nOriginal URL: ${from}\nRedirect URL: ${movedTo}\nStatus: ${code} ${codeText}\n\nTo continue, call WebFetch again with url "${movedTo}" and the same prompt.`,
    );
  }
  const text = textOf(fetched);
  if (text === undefined)
    return toolError(`${fetched.url} is ${fetched.type || "not text"}, which cannot be read as text.`);
  return success(fetched.bytes.length, await options.digest(text.slice(0, maxChars), prompt, signal));
}

function textOf({ type, bytes, cut }: WebPage): string | undefined {
  const [kind = ""] = type.toLowerCase().split(";");
  const readable = kind === "" || kind.startsWith("text/") || /(?:json|xml|javascript|yaml)$/.test(kind.trim());
  if (!readable || bytes.subarray(0, 8_192).includes(0)) return undefined;
  const text = bytes.toString("utf8");
  const shown = /html/.test(kind) ? pageText(text) : text;
  return cut ? `${shown}\n[The page is longer than 1 MiB; the rest was not fetched.]` : shown;
}

const unseen = new Set(["script", "style", "noscript", "template", "svg"]);
const breaking = new Set([
  ...["p", "div", "br", "li", "ul", "ol", "tr", "table", "section", "article", "header", "footer", "pre", "blockquote"],
  ...["h1", "h2", "h3", "h4", "h5", "h6", "hr", "main", "nav", "title"],
]);

/** The text of a page, without tags and invisible parts. Takes linear time, whatever the page. */
export function pageText(html: string): string {
  const parts: string[] = [];
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    parts.push(decoded(html.slice(at, open < 0 ? html.length : open)));
    if (open < 0) break;
    const close = html.startsWith("<!--", open) ? html.indexOf("-->", open) : html.indexOf(">", open);
    if (close < 0) break;
    const name = /^<\/?([a-z][a-z0-9]*)/i.exec(html.slice(open, open + 32))?.[1]?.toLowerCase() ?? "";
    if (breaking.has(name)) parts.push("\n");
    at = close + (html.startsWith("<!--", open) ? 3 : 1);
    if (unseen.has(name) && html[open + 1] !== "/") at = endOf(html, name, at);
  }
  return parts
    .join("")
    .split("\n")
    .map((line) => line.replace(/\s+/g, " ").trim())
    .filter((line, index, lines) => line !== "" || lines[index - 1] !== "")
    .join("\n")
    .trim();
}

/** The position behind the end tag, or the end of the page when there is no end tag. */
function endOf(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}[\\s>]`, "gi");
  end.lastIndex = from;
  const found = end.exec(html);
  const close = found === null ? -1 : html.indexOf(">", found.index);
  return close < 0 ? html.length : close + 1;
}

const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

function decoded(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi, (whole, number, hex, name) => {
    const code = number === undefined ? Number.parseInt(hex ?? "", 16) : Number(number);
    if (name !== undefined) return named[String(name).toLowerCase()] ?? whole;
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : whole;
  });
}

import { ownIssue } from "../check-input.ts";
import { type Tool, type ToolContext, type ToolResult, toolError, toolSuccess } from "../tool.ts";
import type { WebFetchOptions } from "../web-options.ts";
import { type Fetched, fetchPage, type Page, urlFault } from "./fetch-page.ts";
import { pageText } from "./page-text.ts";

const mostChars = 100_000;

export function webFetchTool(options: WebFetchOptions): Tool {
  const tool: Tool = {
    name: "WebFetch",
    description:
      "Gets a page of the public internet and answers a question about it. A page that has moved to another host is not followed: the answer says where it is now.",
    readOnly: true,
    inputSchema: {
      type: "object",
      properties: {
        url: { type: "string", description: "The address, http or https" },
        prompt: { type: "string", description: "What to find out from the page" },
      },
      required: ["url", "prompt"],
      additionalProperties: false,
    },
    responseSchema: {
      type: "object",
      required: ["bytes", "code", "codeText", "result", "durationMs", "url"],
      properties: {
        bytes: { type: "number" },
        code: { type: "number" },
        codeText: { type: "string" },
        result: { type: "string" },
        durationMs: { type: "number" },
        url: { type: "string" },
      },
    },
    render: (response) => (response as { result: string }).result,
    refuse: ({ url }) => (URL.canParse(String(url)) ? undefined : ownIssue("url", "Invalid URL")),
    run: ({ url, prompt }, context) => fetchAndDigest(tool, String(url), String(prompt), options, context),
  };
  return tool;
}

async function fetchAndDigest(
  tool: Tool,
  url: string,
  prompt: string,
  options: WebFetchOptions,
  { now, signal }: ToolContext,
): Promise<ToolResult> {
  const startedAt = now();
  const fault = urlFault(url);
  if (fault !== undefined) return toolError(fault);
  const fetched: Fetched = await fetchPage(new URL(url), options, signal);
  if (signal.aborted) return toolError("The page was not fetched: interrupted.", true);
  if ("error" in fetched) return toolError(fetched.error);
  if ("moved" in fetched) {
    const { from, to, code, codeText } = fetched.moved;
    const result = `REDIRECT DETECTED: The URL redirects to a different host.\n\nOriginal URL: ${from}\nRedirect URL: ${to}\nStatus: ${code} ${codeText}\n\nTo go on, call WebFetch again with url "${to}" and the same prompt.`;
    return toolSuccess(tool, { bytes: 0, code, codeText, result, durationMs: Math.round(now() - startedAt), url });
  }
  const { page } = fetched;
  const text = textOf(page);
  if (text === undefined) return toolError(`${page.url} is ${page.type || "no text"}, which cannot be read as text.`);
  const result = await options.digest(text.slice(0, mostChars), prompt, signal);
  const { code, codeText, bytes } = page;
  return toolSuccess(tool, {
    bytes: bytes.length,
    code,
    codeText,
    result,
    durationMs: Math.round(now() - startedAt),
    url,
  });
}

function textOf({ type, bytes, cut }: Page): string | undefined {
  const [kind = ""] = type.toLowerCase().split(";");
  const readable = kind === "" || kind.startsWith("text/") || /(?:json|xml|javascript|yaml)$/.test(kind.trim());
  if (!readable || bytes.subarray(0, 8_192).includes(0)) return undefined;
  const text = bytes.toString("utf8");
  const words = /html/.test(kind) ? pageText(text) : text;
  return cut ? `${words}\n[The page is longer than 1 MiB; the rest was not fetched.]` : words;
}

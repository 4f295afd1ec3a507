import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { hostile } from "../fixtures/hostile.ts";
import {
  answer,
  attachment,
  prompt,
  recorded,
  result,
  sidechain,
  system,
  toolUse,
  type Wire,
  write,
} from "../fixtures/transcript.ts";
import { openSession, type Session } from "../session.ts";
import type { SessionDocument } from "./document.ts";
import { exportSession } from "./export-session.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hookline-export-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const everything = { agents: true, thinking: true, results: true };

/** A session in which every field that can hold text holds this one. */
async function sessionFull(of: string): Promise<Session> {
  const p = prompt(null, of, { cwd: of, gitBranch: of, version: of });
  const use = answer(
    p,
    [
      { type: "thinking", thinking: of },
      { type: "text", text: of },
      toolUse("t1", of, { [of]: of }),
      toolUse("t2", "Agent", { prompt: of }),
    ],
    { stop: "tool_use", model: of },
  );
  const out = result(
    use,
    "t1",
    [
      { type: "text", text: of },
      { type: "image", source: { type: "base64", media_type: of, data: of } },
      { type: "image", source: { type: "base64", media_type: "image/svg+xml", data: "PHN2Zy8+" } },
    ],
    { toolUseResult: of },
    { is_error: true },
  );
  const done = result(use, "t2", of);
  const hook = attachment(done, { type: "hook_success", hookName: of, hookEvent: of, stdout: of, content: of });
  const feedback = prompt(hook, `Stop hook feedback:\n${of}`, { isMeta: true });
  const command = prompt(feedback, `<command-name>${of}`);
  const boundary = system(null, "compact_boundary", {
    logicalParentUuid: command["uuid"],
    compactMetadata: { trigger: of, preTokens: 1, postTokens: 1 },
  });
  const summary = prompt(boundary, of, { isCompactSummary: true });
  const failed = answer(summary, of, { model: "<synthetic>" }, { isApiErrorMessage: true });
  const inside = sidechain("a1", prompt(null, of));
  write(join(folder, "s1/subagents/agent-a1.jsonl"), [inside, sidechain("a1", answer(inside, of))]);
  write(join(folder, "s1/subagents/agent-a1.meta.json"), [{ toolUseId: "t2", agentType: of, description: of }]);
  const title = { type: "custom-title", customTitle: of, sessionId: "s1" };
  return openSession(
    write(join(folder, "s1.jsonl"), [p, use, out, done, hook, feedback, command, boundary, summary, failed, title]),
  );
}

/** What a browser would see: every tag with its attributes. */
function tagsOf(html: string): { name: string; attributes: Record<string, string> }[] {
  return [...html.matchAll(/<(\/?[a-zA-Z!][^\s>]*)([^>]*)>/g)].map(([, name = "", rest = ""]) => ({
    name: name.toLowerCase(),
    attributes: Object.fromEntries(
      [...rest.matchAll(/([^\s=]+)="([^"]*)"/g)].map(([, key = "", value = ""]) => [key, value]),
    ),
  }));
}

const allowed: Record<string, readonly string[]> = {
  html: ["lang"],
  head: [],
  meta: ["charset", "http-equiv", "content", "name"],
  title: [],
  style: [],
  body: [],
  header: [],
  h1: [],
  h2: [],
  p: ["class"],
  span: ["class"],
  main: [],
  section: ["class"],
  small: [],
  time: [],
  div: ["class"],
  details: [],
  summary: [],
  pre: ["class"],
  img: ["alt", "src"],
  a: ["class", "rel", "href"],
};

describe("HTML", () => {
  test("hostile text in every field stays text", async () => {
    for (const text of hostile) {
      const html = await exportSession(await sessionFull(text), "html", everything);
      const body = html.replace("<!doctype html>", "");
      for (const { name, attributes } of tagsOf(body)) {
        const known = allowed[name.replace("/", "")];
        expect(known, `<${name}> from ${text}`).toBeDefined();
        expect(
          Object.keys(attributes).filter((key) => !known?.includes(key)),
          `<${name}> from ${text}`,
        ).toEqual([]);
        if (name === "a") expect(attributes["href"]).toMatch(/^https?:\/\//);
        if (name === "img")
          expect(attributes["src"]).toMatch(/^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*$/);
      }
      // Quotes of attributes are the only ones left in tags: none can be opened or closed from inside.
      for (const [tag] of body.matchAll(/<[a-zA-Z][^>]*>/g)) expect((tag.match(/"/g)?.length ?? 0) % 2).toBe(0);
      expect(html).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
    }
  });

  test("the page is one file without outside references and scripts, and its policy forbids both and fits the style", async () => {
    const html = await exportSession(await sessionFull("plain"), "html", everything);
    const style = /<style>([\s\S]*)<\/style>/.exec(html)?.[1] ?? "";
    const hash = createHash("sha256").update(style).digest("base64");
    expect(html).toContain(
      `content="default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'"`,
    );
    expect(html).not.toMatch(/<script|<link|<iframe|@import|url\(|\ssrc="http/i);
  });

  test("web addresses are marked links, pictures of four kinds are in the file", async () => {
    const p = prompt(null, "see https://example.com/a?b=1&c=2 and ftp://x");
    const use = answer(p, [toolUse("t1")], { stop: "tool_use" });
    const png = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };
    const session = await openSession(write(join(folder, "s1.jsonl"), [p, use, result(use, "t1", [png])]));
    const html = await exportSession(session, "html", everything);
    expect(html).toContain(
      '<a class="out" rel="noopener noreferrer nofollow" href="https://example.com/a?b=1&amp;c=2">https://example.com/a?b=1&amp;c=2</a> and ftp://x',
    );
    expect(html).toContain('<img alt="picture" src="data:image/png;base64,iVBORw0KGgo=">');
  });
});

describe("Markdown", () => {
  test("hostile text leaves neither its quote nor its fence, and brings no tags, pictures or links", async () => {
    for (const text of hostile) {
      const markdown = await exportSession(await sessionFull(text), "markdown", everything);
      let fence: string | undefined;
      for (const line of markdown.split("\n")) {
        const mark = /^(`{3,})/.exec(line)?.[1];
        if (fence === undefined && mark !== undefined) {
          fence = mark;
          continue;
        }
        if (fence !== undefined) {
          if (line === fence) fence = undefined;
          continue;
        }
        expect(line).toMatch(/^(?:$|> |>$|#{1,6} |- |\*\*|\*)/);
      }
      expect(fence).toBeUndefined();
      const open = withoutFences(markdown);
      expect(open).not.toMatch(/<[a-zA-Z/!]/);
      expect(open).not.toMatch(/!\[/);
      expect(open).not.toMatch(/\]\((?!https?:)/i);
      expect(markdown).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
    }
  });

  test("a recorded session becomes readable Markdown", async () => {
    const session = await openSession(join(recorded, "f-error-400/81ebd159-1e4b-421d-ac17-ad3e0206577e.jsonl"));
    expect(await exportSession(session, "markdown", { results: true })).toBe(
      [
        "# error run",
        "",
        "- Session: 81ebd159-1e4b-421d-ac17-ad3e0206577e",
        "- Directory: /home/dev/project",
        "- Branch: HEAD",
        "- Claude Code: 2.1.197",
        "- From: 2026-11-15T06:46:02.382Z",
        "- To: 2026-11-15T06:46:04.514Z",
        "- Models: claude-opus-4-8",
        "",
        "## Turn 1 · prompt · 2026-11-15T06:46:02.382Z",
        "",
        "> error run",
        "",
        "**Tool** Bash · ok · 923 ms",
        "",
        "```json",
        "{",
        '  "command": "echo before-error"',
        "}",
        "```",
        "",
        "```",
        "before-error",
        "```",
        "",
        "**API error**",
        "",
        "> API Error: 400 messages: bad",
        "",
      ].join("\n"),
    );
  });
});

describe("options and what never leaves", () => {
  const json = async (session: Session, options: object = {}) =>
    JSON.parse(await exportSession(session, "json", options)) as SessionDocument;

  test("JSON has a version, and agents, thinking and results only on request", async () => {
    const session = await sessionFull("words");
    const plain = await json(session);
    expect(plain.schema).toBe("hookline.session/1");
    const kinds = (document: SessionDocument) => document.items.map(({ kind }) => kind);
    expect(kinds(plain)).toEqual([
      "prompt",
      "answer",
      "tool",
      "tool",
      "hook",
      "feedback",
      "prompt",
      "compaction",
      "api-error",
    ]);
    expect(
      plain.items.filter(({ kind }) => kind === "tool").every((tool) => !("output" in tool) && !("agent" in tool)),
    ).toBe(true);
    const full = await json(session, everything);
    expect(kinds(full)).toEqual([
      "prompt",
      "thinking",
      "answer",
      "tool",
      "tool",
      "hook",
      "feedback",
      "prompt",
      "compaction",
      "api-error",
    ]);
    expect(full.items[3]).toMatchObject({ kind: "tool", output: "words", status: "error" });
    expect(full.items[4]).toMatchObject({
      kind: "tool",
      agent: { id: "a1", type: "words", items: [{ kind: "prompt" }, { kind: "answer" }] },
    });
  });

  test("redact sees every text before it leaves", async () => {
    const session = await sessionFull("sk-secret-key");
    for (const format of ["json", "markdown", "html"] as const) {
      const redact = (text: string) => text.replaceAll("sk-secret-key", "[redacted]");
      expect(await exportSession(session, format, { ...everything, redact })).not.toContain("sk-secret-key");
    }
  });

  test("account data and environment files never leave", async () => {
    const p = prompt(null, "go");
    const bridge: Wire = {
      type: "bridge-session",
      bridgeSessionId: "account-42",
      email: "me@example.com",
      sessionId: "s1",
    };
    write(join(folder, "session-env/s1/sessionstart-hook-0.sh"), ["export SECRET=1"]);
    const session = await openSession(write(join(folder, "s1.jsonl"), [p, bridge, answer(p, "ok")]));
    for (const format of ["json", "markdown", "html"] as const) {
      expect(await exportSession(session, format, everything)).not.toMatch(/account-42|me@example|SECRET/);
    }
    expect(await session.query().matching("account-42").count()).toBe(0);
  });

  test("the active branch is exported, another one on request", async () => {
    const p = prompt(null, "go");
    const old = answer(p, "old answer");
    const next = answer(p, "new answer");
    const session = await openSession(write(join(folder, "s1.jsonl"), [p, old, next]));
    expect(await exportSession(session, "markdown")).not.toContain("old answer");
    expect(await exportSession(session, "markdown", { leaf: old["uuid"] as string })).toContain("old answer");
  });
});

function withoutFences(markdown: string): string {
  const kept: string[] = [];
  let fence: string | undefined;
  for (const line of markdown.split("\n")) {
    const inner = line.replace(/^> ?/, "");
    const mark = /^\s{0,3}(`{3,}|~{3,})/.exec(inner)?.[1];
    if (fence === undefined && mark !== undefined) fence = mark;
    else if (fence !== undefined && mark !== undefined && mark[0] === fence[0] && mark.length >= fence.length)
      fence = undefined;
    else if (fence === undefined) kept.push(line);
  }
  return kept.join("\n");
}

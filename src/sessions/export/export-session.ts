import { titleOf } from "../model/entry-text.ts";
import { checkObject, checkWord, optionProblem } from "../option-checks.ts";
import type { Session } from "../session.ts";
import { documentOf } from "./build-document.ts";
import type { DocumentOptions } from "./document.ts";
import { toHtml } from "./html.ts";
import { toMarkdown } from "./markdown.ts";

export type ExportFormat = "markdown" | "html" | "json";

/** A session as text to give away. Account data and environment files are never part of it. */
export async function exportSession(
  session: Session,
  format: ExportFormat,
  options: DocumentOptions = {},
): Promise<string> {
  checkObject("session", session);
  if (typeof session.load !== "function") throw optionProblem("session", session, "a session, as openSession gives it");
  checkWord("format", format, ["markdown", "html", "json"]);
  const model = await session.load();
  const document = documentOf(model, titleOf(model.main.entries), options);
  if (format === "markdown") return toMarkdown(document);
  return format === "html" ? toHtml(document) : `${JSON.stringify(document, null, 2)}\n`;
}

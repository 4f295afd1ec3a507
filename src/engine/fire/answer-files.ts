import { lstat, stat } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import {
  errorCode,
  type Fs,
  type HomeSource,
  ignoringErrors,
  nodeFs,
  sha256,
  statePath,
  writePrivate,
} from "../../files/internal.ts";
import {
  type HookAnswerRecord,
  type HookRef,
  messageOf,
  Problem,
  stripControl,
  type Verdict,
  type Warning,
} from "../../protocol/internal.ts";
import { beginning, cutText, maxContextChars } from "../safe-text/display-text.ts";
import type { HookRun } from "./firing-event.ts";
import type { ReadAnswer } from "./read/read-verdict.ts";

/** Long texts put into files of the session, texts for the user stripped of what a terminal would act on. */
export async function shorten({ answer, warnings }: ReadAnswer, { event }: HookRun): Promise<ReadAnswer> {
  const folder = spillFolder(event.services.options, String(event.payload["session_id"]));
  const found: Warning[] = [...warnings];
  async function short(text: string): Promise<string> {
    const { text: kept, warning } = await spill(text, folder);
    if (warning !== undefined) found.push(warning);
    return kept;
  }
  const { context, messages, verdict, stop, output } = answer;
  const instructions = output?.customInstructions;
  const finished: HookAnswerRecord = {
    ...answer,
    verdict: await withReason(verdict, short),
    ...(context ? { context: await Promise.all(context.map(short)) } : {}),
    ...(messages ? { messages: await Promise.all(messages.map((text) => short(stripControl(text)))) } : {}),
    ...(stop?.reason ? { stop: { reason: await short(stripControl(stop.reason)) } } : {}),
    ...(instructions ? { output: { ...output, customInstructions: await short(instructions) } } : {}),
  };
  return { answer: finished, warnings: found };
}

async function withReason(verdict: Verdict, short: (text: string) => Promise<string>): Promise<Verdict> {
  if (verdict.kind === "none" || verdict.reason === undefined) return verdict;
  return { ...verdict, reason: await short(verdict.reason) };
}

/** How much of a text is kept when all of it was put into a file. */
const previewChars = 2_000;

/**
 * A text that is short enough to be passed on: itself, or its beginning and the path of the file that holds all of it.
 * Contract: never rejects; a text that cannot be written is cut, with a warning.
 */
export async function spill(
  text: string,
  folder: string,
  fs: Fs = nodeFs,
): Promise<{ readonly text: string; readonly warning?: Warning }> {
  if (text.length <= maxContextChars) return { text };
  try {
    await refuseLink(folder, fs);
    const path = await writePrivate(folder, text, { fs, prefix: "hook-", suffix: ".txt" });
    return {
      text: `${beginning(text, previewChars)}\n[cut: ${text.length} characters in all; the whole text is in ${path}]`,
    };
  } catch (error) {
    const why = messageOf(error);
    const message = `A text of ${text.length} characters could not be written to ${folder} and was cut: ${why}`;
    return { text: cutText(text, maxContextChars), warning: { code: "spill-failed", message, place: folder } };
  }
}

/** The texts would be written to the target of the link. */
async function refuseLink(folder: string, fs: Fs): Promise<void> {
  const stat = await ignoringErrors(["ENOENT"], fs.lstat(folder));
  if (!stat?.isSymbolicLink()) return;
  throw new Problem("file/not-ours", `${folder} is a link. Remove it so that a directory can be created.`, {
    about: { path: folder },
  });
}

/** The private folder for long texts and input files of a session. An id is never a path. */
export function spillFolder(places: HomeSource, sessionId: string): string {
  const name = sha256(sessionId).slice(0, 32);
  return join(statePath(places), "spill", name);
}

/** The folder a hook made must be there, and may not be reached through `..` or a link below the project. */
export async function checkWorktree(answer: HookAnswerRecord, { event, hook: { ref } }: HookRun): Promise<ReadAnswer> {
  const given = answer.output?.worktreePath;
  if (answer.verdict.kind === "deny" || answer.failure !== undefined) return { answer, warnings: [] };
  if (given === undefined) return refused(answer, "it returned no path", ref);
  const path = isAbsolute(given) ? given : resolve(String(event.payload["cwd"]), given);
  const fault = await faultOf(given, path, event.services.options.cwd);
  if (fault !== undefined) return refused(answer, `${given} ${fault}`, ref);
  return { answer: { ...answer, output: { ...answer.output, worktreePath: path } }, warnings: [] };
}

function refused(answer: HookAnswerRecord, why: string, hook: HookRef): ReadAnswer {
  const { worktreePath: _, ...output } = answer.output ?? {};
  const failure = `the worktree hook's answer cannot be used: ${why}`;
  return {
    answer: { ...answer, output, failure },
    warnings: [{ code: "worktree-invalid", message: `Hook ${hook.name}: ${failure}.`, place: hook.id }],
  };
}

async function faultOf(given: string, path: string, projectDir: string): Promise<string | undefined> {
  if (given.split(/[\\/]/).includes("..")) return "passes through ..";
  try {
    if (!(await stat(path)).isDirectory()) return "is not a directory";
    return (await linkBelow(projectDir, path)) ? "passes through a link below the project" : undefined;
  } catch (error) {
    return errorCode(error) === "ENOENT" ? "does not exist" : `cannot be read: ${String(error)}`;
  }
}

async function linkBelow(root: string, path: string): Promise<boolean> {
  const inside = relative(root, path);
  if (inside === "" || inside.startsWith("..") || isAbsolute(inside)) return false;
  let at = root;
  for (const part of inside.split(sep)) {
    at = join(at, part);
    if ((await lstat(at)).isSymbolicLink()) return true;
  }
  return false;
}

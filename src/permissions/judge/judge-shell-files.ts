import { faultOf, longestPath } from "../paths/resolve-path.ts";
import { pathsOf } from "../shell/programs/file-operands.ts";
import { type FilePart, staticValue } from "../shell/shell-part.ts";
import { escapePattern } from "../shell/word-pieces.ts";
import { asked, byMode, type Finding, harmless, strictest, unusable } from "./finding.ts";
import type { Desk } from "./judge-context.ts";
import { judgeNamed } from "./judge-file-names.ts";
import { type Access, judgePath, judgeRestrictions } from "./judge-path.ts";

export const shellWrite: Access = { writes: true, shell: true, tools: ["Edit", "Write"] };
export const shellRead: Access = { writes: false, shell: true, tools: ["Read"] };

const free = new Set(["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin"]);

/** A redirection is a read or a write of its own, whatever the command before it may do. */
export function judgeRedirection(part: FilePart, desk: Desk): Finding {
  const access = part.kind === "write" ? shellWrite : shellRead;
  const text = staticValue(part.target);
  if (text !== undefined && free.has(text)) return harmless("it goes nowhere");
  const known = text ?? part.target.pieces[0];
  if (/^\/+dev\/+(tcp|udp)(\/|$)/.test(known)) {
    return asked(desk.mode, "analysis", "it opens a network connection; no rule allows that");
  }
  const fault = text === undefined ? undefined : faultOf(text);
  if (fault !== undefined) return unusable(fault);
  if (text === undefined || part.places.unknown) {
    const { expansions = [text === undefined ? undefined : escapePattern(text)], raw } = part.target;
    const named = expansions.map((pattern) => judgeNamed({ pattern, raw }, access, part.places, desk));
    const restricted = strictest(named);
    if (restricted) return restricted;
  }
  const { paths, sure } = pathsOf(part.target, part.places, desk.context.home);
  const findings = paths.map((path) => judgeFile(path, access, desk, sure));
  const unknown = byMode(
    desk.mode,
    access.writes ? "other" : "read-outside",
    `where ${part.target.raw} lies is not known beforehand`,
  );
  return strictest(sure && findings.length > 0 ? findings : [unknown, ...findings]) ?? unknown;
}

/** One file that a command reads or writes. When its place is not `sure` only what restricts it counts. */
export function judgeFile(path: string, access: Access, desk: Desk, sure: boolean): Finding {
  const key = `${access.writes ? "write" : "read"} ${sure} ${path}`;
  const found = desk.recall(key, () => {
    const resolved = path.length > longestPath ? undefined : desk.look(path);
    if (resolved === undefined) return asked(desk.mode, "analysis", "the command names more files than are looked at");
    return sure ? judgePath(resolved, access, desk) : judgeRestrictions(resolved, access, desk);
  });
  return found ?? harmless("nothing restricts it");
}

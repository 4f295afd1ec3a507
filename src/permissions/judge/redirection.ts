import { faultOf } from "../paths/resolve.ts";
import { pathsOf } from "../shell/file-operands.ts";
import { type FilePart, staticValue } from "../shell/part.ts";
import type { Desk } from "./desk.ts";
import { asked, byMode, type Finding, harmless, strictest, unusable } from "./finding.ts";
import { type Access, judgePath, judgeRestrictions } from "./path.ts";

export const shellWrite: Access = { writes: true, shell: true, tools: ["Edit", "Write"] };
export const shellRead: Access = { writes: false, shell: true, tools: ["Read"] };

const free = new Set(["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin"]);

/** A redirection is a read or a write of its own, whatever the command before it may do (PE-32). */
export function judgeRedirection(part: FilePart, desk: Desk): Finding {
  const access = part.kind === "write" ? shellWrite : shellRead;
  const text = staticValue(part.target);
  if (text !== undefined && free.has(text)) return harmless("it goes nowhere");
  const known = text ?? part.target.pieces[0];
  if (/^\/+dev\/+(tcp|udp)(\/|$)/.test(known))
    return asked(desk.mode, "analysis", "it opens a network connection; no rule allows that");
  const { paths, sure } = pathsOf(part.target, part.places, desk.context.home);
  const fault = text === undefined ? undefined : faultOf(text);
  if (fault !== undefined) return unusable(fault);
  if (sure) return strictest(paths.map((path) => judgePath(desk.resolve(path), access, desk))) ?? notKnown(part, desk);
  const restricted = paths
    .map((path) => judgeRestrictions(desk.resolve(path), access, desk))
    .filter((found) => found !== undefined);
  return strictest([notKnown(part, desk), ...restricted]) ?? notKnown(part, desk);
}

function notKnown(part: FilePart, desk: Desk): Finding {
  return byMode(
    desk.mode,
    part.kind === "write" ? "other" : "read-outside",
    `where ${part.target.raw} lies is not known beforehand`,
  );
}

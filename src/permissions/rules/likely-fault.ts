import type { Rule } from "./rule.ts";
import type { ToolKind } from "./rule-tools.ts";

/** Why a rule that can be read hardly covers what its author means; undefined when nothing speaks for that. */
export function likelyFault({ spec = "" }: Rule, kind: ToolKind): string | undefined {
  const [command, path] = [kind === "shell" || kind === "text", kind === "read" || kind === "edit"];
  if (!command && !path) return undefined;
  if (/^(["'`]).*\1$/s.test(spec) && !spec.slice(1, -1).includes(spec[0] ?? "")) return "write it without quotes";
  if (command)
    return oddSpace.test(spec) ? "it holds an invisible character or a blank that no command has" : undefined;
  if (/(?<!\\)\{[^{}]*,[^{}]*\}/.test(spec)) return "braces have no meaning in a path; write one rule for each name";
  if (/^\$\{?[A-Z_]+\}?(?:\/|$)/.test(spec)) return "variables have no meaning in a path; write ~/ for home";
  if (spec.endsWith(":*")) return '":*" is for commands; a path alone covers all that is in it';
  return /[^\\],\s/.test(spec) ? "it looks like more than one path; write one rule for each" : undefined;
}

const oddSpace = /[\u00a0\u00ad\u1680\u2000-\u200f\u2028-\u202f\u205f-\u2064\u3000\ufeff]/;

/** Folders right below the root of the file system that a project hardly has. */
const rootFolders = /^\/(?:etc|home|Users|root|usr|var|private|proc|mnt|opt|Volumes)(?:\/|$)/;

/** A path of the whole file system written with one slash, which means the folder of the rule's source. */
export function looksAbsolute({ spec = "" }: Rule, kind: ToolKind): boolean {
  return (kind === "read" || kind === "edit") && rootFolders.test(spec);
}

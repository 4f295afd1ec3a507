import { fitsPieces, type ToolInput } from "../../protocol/internal.ts";
import { pathFault } from "../paths/resolve-path.ts";
import type { PolicyRule } from "../policy.ts";
import { coversTool, type ToolKind } from "../rules/rule-tools.ts";
import {
  agentType,
  couldStartAgent,
  couldStartSkill,
  covers,
  coversHost,
  fieldCovers,
  hostOf,
  skillText,
} from "../rules/spec-patterns.ts";
import type { Access, JudgeState } from "./judge-context.ts";
import { judgePath } from "./judge-path.ts";
import {
  allowedByRule,
  askedBy,
  modeDecides,
  type PartFinding,
  restrictedBy,
  strictest,
  unusableInput,
  wholePart,
} from "./judgement.ts";

/** Judges a tool that reads or edits: every path in its input, in every way that programs may read it. */
export function judgeFiles(tool: string, kind: "read" | "edit", input: ToolInput, state: JudgeState) {
  const writes = kind === "edit";
  const access: Access = { writes, shell: false, tools: [tool, writes ? "Edit" : "Read"] };
  const judged = inputPathsOf(tool, kind, input).map((given) => ({
    given,
    finding: judgeInputPath(given, access, state),
  }));
  return {
    findings: judged.map(({ finding }) => finding),
    parts: judged.map(({ given, finding }) =>
      wholePart({ kind: "path", text: String(given) }, finding, state.context.cwd),
    ),
  };
}

function judgeInputPath(given: unknown, access: Access, state: JudgeState): PartFinding {
  const fault = pathFault(given);
  if (fault !== undefined || typeof given !== "string") return unusableInput(fault ?? "the path is not a text");
  // Some programs trim a path and expand a leading tilde; others take both literally.
  const written = [...new Set([given, given.trim() || given])];
  const readings = written.flatMap((path) =>
    path === "~" || path.startsWith("~/") ? [path, state.context.home + path.slice(1)] : [path],
  );
  const paths = readings.map((path) => state.resolve(path));
  state.inputPaths.push(...paths);
  return strictest(paths.map((path) => judgePath(path, access, state))) ?? unusableInput("there is no path");
}

/** The values of all fields that may name the file. A search without a path is in the working directory. */
function inputPathsOf(tool: string, kind: "read" | "edit", input: ToolInput): unknown[] {
  const given = ["file_path", "path", "notebook_path"].filter(
    (field) => Object.hasOwn(input, field) && input[field] !== undefined,
  );
  const paths = given.map((field) => input[field]);
  const pattern = input["pattern"];
  // A glob may itself lead out of the folder.
  if (tool === "Glob" && typeof pattern === "string" && /^\/|(^|\/)\.\.(\/|$)|^~/.test(pattern)) {
    paths.push(pattern.replace(/[^/]*[*?[{].*$/s, "") || "/");
  }
  if (paths.length > 0) return paths;
  return kind === "read" ? ["."] : [undefined];
}

/** The thing that rules match in a call that is neither a command nor a file access. */
interface NamedThing {
  readonly kind: "domain" | "name";
  readonly text: string;
}

export function namedThing(tool: string, kind: ToolKind, input: ToolInput): NamedThing {
  if (kind === "web") return { kind: "domain", text: hostOf(input["url"]) ?? displayUrl(input["url"]) };
  if (kind === "agent") return { kind: "name", text: agentType(input) };
  if (kind === "skill") return { kind: "name", text: skillText(input) };
  return { kind: "name", text: tool };
}

/** Judges a call by the name of its host, agent, skill or tool. */
export function judgeName(tool: string, kind: ToolKind, input: ToolInput, state: JudgeState): PartFinding {
  const { policy, mode } = state;
  const { text } = namedThing(tool, kind, input);
  const matches = (rule: PolicyRule) => coversTool(rule.meaning.tools, tool, policy.names) && targetCovers(rule, input);
  const restricted = restrictedBy(policy, matches, text, mode);
  if (restricted) return restricted;
  if (kind === "web" && hostOf(input["url"]) === undefined) {
    const why = "the address is not an http(s) URL that all programs read the same way; no rule allows it";
    return askedBy(mode, "analysis", why);
  }
  const rule = policy.allow.find(matches);
  if (rule) return allowedByRule(rule);
  return modeDecides(mode, "other", `no rule covers ${text}`);
}

function targetCovers({ list, meaning: { target } }: PolicyRule, input: ToolInput): boolean {
  switch (target.kind) {
    case "all":
      return true;
    case "domain": {
      const host = hostOf(input["url"]);
      return host !== undefined && coversHost(target.pattern, host);
    }
    case "agent":
      return list === "allow" ? fitsPieces(target.type, agentType(input)) : couldStartAgent(target.type, input);
    case "skill":
      return list === "allow"
        ? covers(target.pattern.written, skillText(input))
        : couldStartSkill(target.pattern, input);
    case "field":
      return list !== "allow" && fieldCovers(target, input);
    case "command":
    case "path":
      return false;
  }
}

function displayUrl(url: unknown): string {
  return typeof url === "string" ? url.slice(0, 200) : "no URL";
}

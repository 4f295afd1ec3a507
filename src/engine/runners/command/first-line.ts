import { isObject } from "../../../protocol/index.ts";
import { tryParse } from "../../answer/parse-output.ts";

/** A first line that says the rest of the run is for the background. */
export interface AsyncNotice {
  readonly timeoutMs: number | undefined;
  /** Answers in the same object; they do not count. */
  readonly ignored: readonly string[];
}

export function asyncNotice(line: string): AsyncNotice | undefined {
  // Nearly every first line is none; one look keeps parsing off the common path.
  if (!line.includes('"async"')) return undefined;
  const value = tryParse(line.trim());
  if (!isObject(value) || value["async"] !== true) return undefined;
  const limit = value["asyncTimeout"];
  return {
    timeoutMs: typeof limit === "number" && limit > 0 ? limit : undefined,
    ignored: answers.filter((name) => Object.hasOwn(value, name)),
  };
}

const answers = ["decision", "permissionDecision", "continue", "hookSpecificOutput"];

/** A line by which a running hook asks the person something. */
export interface QuestionLine {
  readonly id: string;
  readonly message: string;
  readonly options: readonly { readonly key: string; readonly label: string; readonly description?: string }[];
}

export function questionLine(line: string): QuestionLine | undefined {
  if (!line.includes('"prompt"')) return undefined;
  const value = tryParse(line.trim());
  if (!isObject(value)) return undefined;
  const { prompt: id, message, options } = value;
  if (typeof id !== "string" || typeof message !== "string" || !Array.isArray(options)) return undefined;
  return options.every(isOption) ? { id, message, options } : undefined;
}

function isOption(option: unknown): option is QuestionLine["options"][number] {
  if (!isObject(option)) return false;
  const { key, label, description } = option;
  return (
    typeof key === "string" &&
    typeof label === "string" &&
    (description === undefined || typeof description === "string")
  );
}

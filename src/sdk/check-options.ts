import { wrong } from "./problem.ts";

/**
 * Contract: a misspelled option is told when the app is made, and not by a guard that was meant to block and lets pass. A hooks file is
 * run without a look at its types.
 */
export function checkOptions(options: object, known: readonly string[], of: string): void {
  for (const [name, value] of Object.entries(options)) {
    const fault = known.includes(name) ? faultOf(name, value) : `unknown; the options are ${known.join(", ")}`;
    if (fault !== undefined) throw wrong("bad-option", `The option "${name}" of ${of} is ${fault}.`, { name, of });
  }
}

function faultOf(name: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (name === "onFailure" && value !== "block" && value !== "continue") {
    return `${JSON.stringify(value)}; it must be "block" or "continue"`;
  }
  if (name === "timeoutMs" && !(typeof value === "number" && value > 0)) {
    return `${typeof value === "number" ? value : JSON.stringify(value)}; it must be a number of milliseconds above 0`;
  }
  if ((name === "ttlMs" || name === "priority" || name === "attempts") && typeof value !== "number") {
    return `${JSON.stringify(value)}; it must be a number`;
  }
  if (name === "deliver" && value !== "context") return `${JSON.stringify(value)}; it must be "context"`;
  if ((name === "when" || name === "build" || name === "dispose") && typeof value !== "function") {
    return `a ${typeof value}; it must be a function`;
  }
  if (name === "hooks" && !Array.isArray(value)) return `${JSON.stringify(value)}; it must be a list`;
  if (name === "scope" && value !== "event" && value !== "session" && value !== "process") {
    return `${JSON.stringify(value)}; it must be "event", "session" or "process"`;
  }
  return undefined;
}

/** A tool's input: always an object, of a shape only the tool knows. */
export type ToolInput = Readonly<Record<string, unknown>>;

/** What one hook says about an operation. A question and a denial always have words. */
export type Verdict =
  | { readonly kind: "none" }
  | { readonly kind: "allow"; readonly reason?: string; readonly input?: ToolInput }
  | { readonly kind: "ask"; readonly reason: string; readonly input?: ToolInput }
  | { readonly kind: "defer"; readonly reason?: string }
  | { readonly kind: "deny"; readonly reason: string };

export type Decision = Verdict["kind"];

/** From weak to strong; the strongest verdict of an event wins. */
export const decisions: readonly Decision[] = ["none", "allow", "ask", "defer", "deny"];

/** Positive when `a` is stronger than `b`. */
export function compareDecisions(a: Decision, b: Decision): number {
  return decisions.indexOf(a) - decisions.indexOf(b);
}

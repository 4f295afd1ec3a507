import type { JsonPath } from "./locate.ts";

/** A copy of a value with another one at a path; undefined takes it out. Containers that are missing are made. */
export function withValueAt(root: unknown, path: JsonPath, value: unknown): unknown {
  const [step, ...below] = path;
  if (step === undefined) return value;
  if (typeof step === "number") {
    const items: unknown[] = Array.isArray(root) ? root : [];
    const item = withValueAt(items[step], below, value);
    return item === undefined ? items.toSpliced(step, 1) : [...items.slice(0, step), item, ...items.slice(step + 1)];
  }
  const members = new Map<string, unknown>(Object.entries((root ?? {}) as object));
  const member = withValueAt(members.get(step), below, value);
  if (member === undefined) members.delete(step);
  else members.set(step, member);
  return Object.fromEntries(members);
}

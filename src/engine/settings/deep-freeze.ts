/** Freezes a value and everything in it. Contract: stands any depth and circles; bytes, which cannot be frozen, stay as they are. */
export function deepFreeze(root: unknown): void {
  const seen = new Set<unknown>();
  const waiting = [root];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== "object" || value === null || seen.has(value) || ArrayBuffer.isView(value)) continue;
    seen.add(value);
    Object.freeze(value);
    for (const { value: inner } of Object.values(Object.getOwnPropertyDescriptors(value))) waiting.push(inner);
  }
}

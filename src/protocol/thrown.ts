/**
 * What was thrown, in words and at a bounded length.
 * Contract: never throws, whatever the value does when it is looked at.
 */
export function messageOf(thrown: unknown): string {
  try {
    const text = thrown instanceof Error ? thrown.message || thrown.name : String(thrown);
    return text.length > mostChars ? `${text.slice(0, mostChars)}…` : text;
  } catch {
    return "something that cannot be printed"; // a getter or toString of its own that throws
  }
}

const mostChars = 2_000;

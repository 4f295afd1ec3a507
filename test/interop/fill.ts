/** A copy of `value` in which every string has its placeholders filled in. */
export function fill<T>(value: T, places: Readonly<Record<string, string>>): T {
  if (typeof value === "string") return fillText(value, places) as T;
  if (Array.isArray(value)) return value.map((element) => fill(element, places)) as T;
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, fill(member, places)])) as T;
}

function fillText(text: string, places: Readonly<Record<string, string>>): string {
  return Object.entries(places).reduce((filled, [name, place]) => filled.replaceAll(`{{${name}}}`, place), text);
}

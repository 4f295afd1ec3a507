/** What a call is about, in the words of its input. */
export function subjectOf(input: Readonly<Record<string, unknown>>): string {
  const about =
    input["command"] ?? input["file_path"] ?? input["pattern"] ?? input["url"] ?? input["description"] ?? "";
  return String(about);
}

/** The paths that a text includes with `@path`, in order; what stands in code is only talked about. */
export function includedPaths(text: string): string[] {
  const found = [...withoutCode(text).matchAll(/(?:^|\s)@((?:[^\s\\]|\\ )+)/g)].map(([, path = ""]) => path);
  const paths = found.map((path) => path.replaceAll("\\ ", " ").replace(/#.*$/, "")).filter(isPath);
  return [...new Set(paths)];
}

/** `@name` alone may be a person or a package; a path has a slash, a dot inside, or both. */
function isPath(text: string): boolean {
  return /^(?:~?\/|\.{1,2}\/|[A-Za-z0-9._-])/.test(text) && /[./]/.test(text) && !text.includes("\0");
}

function withoutCode(text: string): string {
  const lines: string[] = [];
  let fence: string | undefined;
  for (const line of text.split("\n")) {
    const [, mark] = /^\s*(`{3,}|~{3,})/.exec(line) ?? [];
    if (mark !== undefined && (fence === undefined || mark.startsWith(fence))) {
      fence = fence === undefined ? mark : undefined;
      continue;
    }
    if (fence === undefined) lines.push(withoutSpans(line));
  }
  return lines.join("\n");
}

/** Code in a line goes from one run of backticks to the next of the same length. Each run is looked at once, whatever the line. */
function withoutSpans(line: string): string {
  const parts = line.split(/(`+)/);
  const ends = new Map<number, number>();
  const next = new Map<number, number>();
  for (let run = parts.length - 2; run > 0; run -= 2) {
    const size = parts[run]?.length ?? 0;
    next.set(run, ends.get(size) ?? -1);
    ends.set(size, run);
  }
  const kept: string[] = [];
  for (let at = 0; at < parts.length; at += 1) {
    const end = next.get(at) ?? -1;
    kept.push(end > 0 ? " " : (parts[at] ?? ""));
    if (end > 0) at = end;
  }
  return kept.join("");
}

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
    if (fence === undefined) lines.push(line.replace(/(`+)[^`]*\1/g, " "));
  }
  return lines.join("\n");
}

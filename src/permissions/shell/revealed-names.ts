/** Names whose value is no secret, and the shell's own numbers and arguments. */
const openNames =
  /^([?#!$0-9@*]|PWD|OLDPWD|HOME|USER|LOGNAME|SHELL|PATH|LANG|LC_[A-Z]+|TERM|TMPDIR|HOSTNAME|SHLVL|RANDOM|SECONDS|LINENO)$/;

/**
 * The variables in a piece of a script whose value may be a secret: those that are neither known from the script itself nor
 * on the list. Text in single quotes is skipped, unless it is that of a here-document.
 */
export function revealedNames(raw: string, isKnown: (name: string) => boolean, inHeredoc = false): readonly string[] {
  if (!raw.includes("$")) return [];
  const names = new Set<string>();
  let quoted = inHeredoc;
  for (let at = 0; at < raw.length; at++) {
    const char = raw[at];
    if (char === "\\") at += 1;
    else if (char === '"' && !inHeredoc) quoted = !quoted;
    else if (char === "'" && !quoted) at = Math.max(at, raw.indexOf("'", at + 1));
    else if (char === "$") {
      const name = /^\$\{?[#!]?([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[?#!$@*-])/.exec(raw.slice(at, at + 300))?.[1];
      if (name !== undefined && !openNames.test(/^\d+$/.test(name) ? "0" : name) && !isKnown(name)) names.add(name);
    }
  }
  return [...names];
}

/** One step of a pattern: a character, or any number of them. */
interface Token {
  readonly takes: (char: string) => boolean;
  readonly repeats?: true;
  /** Of a token that repeats: it can be empty only where a name begins. */
  readonly emptyAtName?: true;
}

const maxBranches = 256;

/**
 * `*` and `?` stay within a name, `**` crosses folders, `[a-z]` and `{a,b}` work as in a shell. A pattern without a slash
 * is compared with the name alone. The time is at most that of the path times the pattern, whatever the pattern.
 */
export function compileGlob(pattern: string): (path: string) => boolean {
  const branches = braces(pattern.replace(/^\.?\//, "")).map(tokensOf);
  const isName = !pattern.includes("/");
  return (path) => {
    const text = isName ? path.slice(path.lastIndexOf("/") + 1) : path;
    return branches.some((tokens) => matchesTokens(tokens, text));
  };
}

/** Every way to choose from the braces; when there are too many, the braces count as text. */
function braces(pattern: string): string[] {
  let all = [pattern];
  for (;;) {
    const open = all.findIndex((one) => innermost(one) !== undefined);
    const found = innermost(all[open] ?? "");
    if (found === undefined) return [...new Set(all)];
    if (all.length + found.choices.length > maxBranches) return [pattern];
    all = all.toSpliced(open, 1, ...found.choices.map((choice) => found.before + choice + found.after));
  }
}

function innermost(pattern: string): { before: string; choices: string[]; after: string } | undefined {
  const [whole, inside = ""] = /\{([^{}]*,[^{}]*)\}/.exec(pattern.slice(0, 1_000)) ?? [];
  if (whole === undefined) return undefined;
  const at = pattern.indexOf(whole);
  return { before: pattern.slice(0, at), choices: inside.split(","), after: pattern.slice(at + whole.length) };
}

function tokensOf(pattern: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < pattern.length; ) {
    const [text, token] = tokenAt(pattern.slice(at));
    tokens.push(token);
    at += text.length;
  }
  return tokens;
}

function tokenAt(rest: string): [string, Token] {
  if (rest.startsWith("**/")) return ["**/", { takes: () => true, repeats: true, emptyAtName: true }];
  if (rest.startsWith("**")) return ["**", { takes: () => true, repeats: true }];
  if (rest.startsWith("*")) return ["*", { takes: inName, repeats: true }];
  if (rest.startsWith("?")) return ["?", { takes: inName }];
  const set = /^\[(!|\^)?(\]?[^\]]*)\]/.exec(rest);
  if (set !== null) return [set[0], { takes: setTest(set[2] ?? "", set[1] !== undefined) }];
  const text = rest.startsWith("\\") && rest.length > 1 ? rest.slice(0, 2) : rest.slice(0, 1);
  return [text, { takes: (char) => char === text.slice(-1) }];
}

function inName(char: string): boolean {
  return char !== "/";
}

function setTest(inside: string, negated: boolean): (char: string) => boolean {
  const ranges = [...inside.matchAll(/(.)-(.)|(.)/gs)].map(([, from, to, one = ""]) => [from ?? one, to ?? one]);
  return (char) => char !== "/" && ranges.some(([from = "", to = ""]) => char >= from && char <= to) !== negated;
}

/** Follows all possible positions in the pattern at once. */
function matchesTokens(tokens: readonly Token[], path: string): boolean {
  let states = withSkips(new Set([0]), tokens, true);
  for (const char of path.split("")) {
    const next = new Set<number>();
    for (const state of states) {
      const token = tokens[state];
      if (token?.takes(char)) next.add(token.repeats ? state : state + 1);
    }
    states = withSkips(next, tokens, char === "/");
    if (states.size === 0) return false;
  }
  return states.has(tokens.length);
}

/** Adds the positions behind tokens that can be empty. */
function withSkips(states: ReadonlySet<number>, tokens: readonly Token[], atName: boolean): Set<number> {
  const all = new Set(states);
  for (const state of all) {
    const token = tokens[state];
    if (token?.repeats && (atName || !token.emptyAtName)) all.add(state + 1);
  }
  return all;
}

/** The file types of `rg --type`. */
export const fileTypes: Readonly<Record<string, readonly string[]>> = {
  c: ["*.[chH]{,.in}", "*.cats"],
  cpp: ["*.[ChH]{,.in}", "*.[ch]pp{,.in}", "*.[ch]xx{,.in}", "*.{cc,hh}{,.in}", "*.inl"],
  cs: ["*.cs"],
  csharp: ["*.cs"],
  css: ["*.css", "*.scss"],
  docker: ["*Dockerfile*"],
  go: ["*.go"],
  html: ["*.ejs", "*.htm", "*.html"],
  java: ["*.java", "*.jsp", "*.jspx", "*.properties"],
  js: ["*.cjs", "*.js", "*.jsx", "*.mjs", "*.vue"],
  json: ["*.json", "*.sarif", "composer.lock"],
  kotlin: ["*.kt", "*.kts"],
  markdown: ["*.markdown", "*.md", "*.mdown", "*.mdwn", "*.mdx", "*.mkd", "*.mkdn"],
  md: ["*.markdown", "*.md", "*.mdown", "*.mdwn", "*.mdx", "*.mkd", "*.mkdn"],
  php: ["*.php", "*.php3", "*.php4", "*.php5", "*.php7", "*.php8", "*.pht", "*.phtml"],
  py: ["*.py", "*.pyi"],
  ruby: ["*.gemspec", "*.rb", "*.rbw", ".irbrc", "Gemfile", "Rakefile", "config.ru"],
  rust: ["*.rs"],
  sql: ["*.psql", "*.sql"],
  svelte: ["*.svelte"],
  swift: ["*.swift"],
  toml: ["*.toml", "Cargo.lock"],
  ts: ["*.cts", "*.mts", "*.ts", "*.tsx"],
  txt: ["*.txt"],
  vue: ["*.vue"],
  yaml: ["*.yaml", "*.yml"],
};

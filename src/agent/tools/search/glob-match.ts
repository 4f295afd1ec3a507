/** Whether a path below the searched folder, with slashes, fits a pattern. */
export type PathTest = (path: string) => boolean;

type Token =
  | { readonly is: "text"; readonly text: string }
  | { readonly is: "one" }
  | { readonly is: "many" }
  | { readonly is: "folders" }
  | { readonly is: "set"; readonly test: (char: string) => boolean };

const maxBranches = 256;

/**
 * `*` and `?` stay within a name, `**` crosses folders, `[a-z]` and `{a,b}` mean what they mean in a shell. A pattern without a slash
 * is compared with the name alone. The time is at most that of the path times the pattern, whatever the pattern.
 */
export function compileGlob(pattern: string): PathTest {
  const branches = braces(pattern.replace(/^\.?\//, "")).map((branch) => ({
    tokens: tokensOf(branch),
    named: !pattern.includes("/"),
  }));
  return (path) => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    return branches.some(({ tokens, named }) => fits(tokens, named ? name : path));
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
    const rest = pattern.slice(at);
    const [text = "", token] = tokenAt(rest);
    tokens.push(token);
    at += text.length;
  }
  return tokens;
}

function tokenAt(rest: string): [string, Token] {
  const folders = /^\*\*\/?/.exec(rest)?.[0];
  if (folders === "**/") return [folders, { is: "folders" }];
  if (folders !== undefined) return [folders, { is: "many" }];
  if (rest.startsWith("*")) return ["*", { is: "set", test: star }];
  if (rest.startsWith("?")) return ["?", { is: "one" }];
  const set = /^\[(!|\^)?(\]?[^\]]*)\]/.exec(rest);
  if (set !== null) return [set[0], { is: "set", test: setTest(set[2] ?? "", set[1] !== undefined) }];
  const char = rest.startsWith("\\") && rest.length > 1 ? rest.slice(0, 2) : rest.slice(0, 1);
  return [char, { is: "text", text: char.slice(-1) }];
}

/** Marks the star within a name: it repeats, a set does not. */
const star = (char: string): boolean => char !== "/";

function setTest(inside: string, negated: boolean): (char: string) => boolean {
  const ranges = [...inside.matchAll(/(.)-(.)|(.)/gs)].map(([, from, to, one = ""]) => [from ?? one, to ?? one]);
  return (char) => char !== "/" && ranges.some(([from = "", to = ""]) => char >= from && char <= to) !== negated;
}

/** All places of the pattern where one can be after each character, at once. */
function fits(tokens: readonly Token[], path: string): boolean {
  let states = spread(new Set([0]), tokens, true);
  for (let at = 0; at < path.length; at += 1) {
    const char = path[at] ?? "";
    const next = new Set<number>();
    for (const state of states) {
      const token = tokens[state];
      if (token === undefined) continue;
      if (takes(token, char)) next.add(repeats(token) ? state : state + 1);
    }
    states = spread(next, tokens, char === "/");
    if (states.size === 0) return false;
  }
  return states.has(tokens.length);
}

function takes(token: Token, char: string): boolean {
  switch (token.is) {
    case "text":
      return token.text === char;
    case "one":
      return char !== "/";
    case "set":
      return token.test(char);
    case "many":
    case "folders":
      return true;
  }
}

function repeats(token: Token): boolean {
  return token.is === "many" || token.is === "folders" || (token.is === "set" && token.test === star);
}

// What can be empty is stepped over; a double star with a slash only where a name begins.
function spread(states: ReadonlySet<number>, tokens: readonly Token[], atName: boolean): Set<number> {
  const all = new Set(states);
  for (const state of all) {
    const token = tokens[state];
    if (token === undefined || !repeats(token)) continue;
    if (token.is !== "folders" || atName) all.add(state + 1);
  }
  return all;
}

/** Names of kinds of files, as `rg --type` knows them. */
export const fileTypes: Readonly<Record<string, readonly string[]>> = {
  c: ["*.[chH]", "*.[chH].in", "*.cats"],
  cpp: [
    "*.[ChH]",
    "*.[ChH].in",
    "*.[ch]pp",
    "*.[ch]pp.in",
    "*.[ch]xx",
    "*.[ch]xx.in",
    "*.cc",
    "*.cc.in",
    "*.hh",
    "*.hh.in",
    "*.inl",
  ],
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

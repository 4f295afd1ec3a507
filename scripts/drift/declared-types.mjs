/**
 * Reads what a package's type declarations say about object types: names of members, as far as drift needs them. Not a TypeScript parser:
 * it takes comments out and counts brackets, which is enough for declarations that a compiler printed.
 */

/** The member names of `type NAME = …` or `interface NAME …`, own braces only; undefined when the name is not declared. */
export function membersOf(source, name, path = []) {
  const body = bodyOf(withoutComments(source), name);
  if (body === undefined) return undefined;
  let texts = [body];
  for (const member of path) {
    texts = texts.flatMap((text) => [...membersIn(text)].filter(([key]) => key === member).map(([, type]) => type));
    if (texts.length === 0) return undefined;
  }
  return [...new Set(texts.flatMap((text) => [...membersIn(text)].map(([key]) => key)))];
}

/** Names of declared types that end with `suffix`, without it. */
export function declaredNames(source, suffix) {
  const found = withoutComments(source).matchAll(/\b(?:type|interface)\s+(\w+)/g);
  return [...found].flatMap(([, name]) => (name.endsWith(suffix) ? [name.slice(0, -suffix.length)] : []));
}

function withoutComments(source) {
  return source.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*/g, "");
}

/** From the name to the `;` or closing brace that ends the declaration. */
function bodyOf(source, name) {
  const start = new RegExp(`\\b(type\\s+${name}\\s*=|interface\\s+${name}\\b)`).exec(source);
  if (!start) return undefined;
  const from = start.index + start[0].length;
  let depth = 0;
  for (let index = from; index < source.length; index++) {
    const sign = source[index];
    if ("{([".includes(sign)) depth++;
    else if ("})]".includes(sign) && --depth === 0 && start[0].startsWith("interface"))
      return source.slice(from, index + 1);
    else if (sign === ";" && depth === 0) return source.slice(from, index);
  }
  return undefined;
}

/** Members of every outermost `{ … }` in a type, with the text of their types. */
function* membersIn(type) {
  for (const block of outerBlocks(type)) {
    for (const member of split(block)) {
      const found = /^\s*(?:readonly\s+)?["']?([\w$-]+)["']?\??\s*:([\s\S]*)$/.exec(member);
      if (found) yield [found[1], found[2]];
    }
  }
}

function* outerBlocks(type) {
  let depth = 0;
  let start = 0;
  for (let index = 0; index < type.length; index++) {
    if (type[index] === "{" && depth++ === 0) start = index + 1;
    else if (type[index] === "}" && --depth === 0) yield type.slice(start, index);
  }
}

/** Cut at each `;` that is not inside brackets. */
function* split(block) {
  let depth = 0;
  let start = 0;
  for (let index = 0; index <= block.length; index++) {
    const sign = block[index];
    if (sign !== undefined && "{([<".includes(sign)) depth++;
    else if (sign !== undefined && "})]".includes(sign)) depth--;
    else if (sign === ">" && block[index - 1] !== "=") depth--;
    else if (sign === undefined || (sign === ";" && depth === 0)) {
      yield block.slice(start, index);
      start = index + 1;
    }
  }
}

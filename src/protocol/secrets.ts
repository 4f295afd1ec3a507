/**
 * What looks like a secret: the only table. It guesses: it may hide too much, and a secret of no known shape stays. Logs, recorded
 * payloads and what observers see go through `withoutSecrets`.
 */

const mark = "[redacted]";

const secretWords =
  "secret|token|passw(?:or)?d|pass(?:phrase|code)|credential|connection[-_]?string|(?:api|access|secret|private|account|signing|encryption|master|ssh|auth)[-_]?key";

const fieldName = /* @__PURE__ */ new RegExp(`${secretWords}|(?:^|[-_])pass$|authorization|cookie`, "i");

/** Names that are secret as names of variables, but too common as names of fields. */
const variableName =
  /(?:^|_)(?:key|pat|pass|jwt|dsn|bearer|cookie|webhook)(?:$|_(?!file|path|id|name))|_pwd|auth(?!or|_sock)|webhook_url/i;

/** Whether an environment variable with this name holds a secret. Settings of tokenizers and numbers of tokens do not. */
export function isSecretVariable(name: string): boolean {
  const rest = name.replace(/tokenizers?|tokens(?=$|_)/gi, "");
  return fieldName.test(rest) || variableName.test(rest);
}

/** Shapes of secrets and what replaces them. No pattern backtracks over what another part of it took, so all are linear. */
const shapes = (): readonly (readonly [RegExp, string])[] => [
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]{0,40}-----|$)/g, mark],
  [/\b(?:sk|pk|rk)(?:-|_live_|_test_)[A-Za-z0-9_-]{16,}/g, mark],
  // Not only at the beginning of a word: the end of a color sequence may be right before it.
  [/(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|gl(?:pat|dt|rt)-[A-Za-z0-9_-]{16,})/g, mark],
  [/(?:xox[abeposr]-[A-Za-z0-9-]{10,}|xapp-[\w-]{20,}|npm_[A-Za-z0-9]{30,}|hf_[A-Za-z0-9]{30,})/g, mark],
  [
    /(?:AIza[A-Za-z0-9_-]{30,}|ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,}|SG\.[\w-]{16,}\.[\w-]{16,}|(?:AKIA|ASIA)[A-Z0-9]{16})/g,
    mark,
  ],
  [
    /(?:pypi-[\w-]{50,}|dop_v1_[0-9a-f]{64}|shp(?:at|ca|pa|ss)_[0-9a-f]{32}|hv[bsr]\.[\w-]{20,}|whsec_[\w/+]{20,})/g,
    mark,
  ],
  [/(?:lin_api_\w{30,}|dapi[0-9a-f]{32}|AGE-SECRET-KEY-1[0-9A-Z]{50,})/g, mark],
  [/(\bcookie:\s{0,4})[^\r\n"']{1,4096}/gi, `$1${mark}`],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+/g, mark],
  [/\b(bearer|basic)\s+[A-Za-z0-9+/=._~-]{8,}/gi, `$1 ${mark}`],
  [
    new RegExp(
      `((?:${secretWords}|[-_]pass)(?:_base)?\\\\?["']?\\s{0,4}[=:]\\s{0,4})(?:\\\\?"[^"]{1,4096}"|'[^']{1,4096}'|[^\\s"',;&]{1,4096})`,
      "gi",
    ),
    `$1${mark}`,
  ],
];

/** Credentials of a URL, from `://` to the last `@` before the path; the slashes may be escaped as JSON allows. */
const urlCredentials = '(?<=:(?://|\\\\/\\\\/))[^\\s/?#"\\\\]+(?=@)';

/**
 * A copy of a value in which no text, keys of objects included, holds one of the known `values`, the credentials of a URL, or what
 * looks like a secret. Under the name of a secret every text is replaced.
 */
export function withoutSecrets<T>(value: T, values: readonly string[] = noValues): T {
  return copyOf(value, eraserFor(values), "", new Map(), 0) as T;
}

type Erase = (text: string) => string;

const noValues: readonly string[] = [];
const erasers = /* @__PURE__ */ new WeakMap<readonly string[], Erase>();

/** One expression for all known values, made once per list: what replaced a value is not searched for another. */
function eraserFor(values: readonly string[]): Erase {
  const known = erasers.get(values);
  if (known !== undefined) return known;
  const longestFirst = values.filter((value) => value !== "").sort((a, b) => b.length - a.length);
  const expression = new RegExp([urlCredentials, ...longestFirst.map(escapeRegExp)].join("|"), "g");
  const all = [[expression, mark] as const, ...shapes()];
  const erase: Erase = (text) => all.reduce((rest, [shape, replacement]) => rest.replace(shape, replacement), text);
  erasers.set(values, erase);
  return erase;
}

/** A text as a part of a regular expression. */
export function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** A value may be nested without end or contain itself: each object is copied once, and what is deeper is not shown. */
const maxDepth = 50;

function copyOf(value: unknown, erase: Erase, name: string, copies: Map<object, unknown>, depth: number): unknown {
  if (typeof value === "string") return value !== "" && fieldName.test(name) ? mark : erase(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth === maxDepth) return mark;
  if (copies.has(value)) return copies.get(value);
  const isList = Array.isArray(value);
  const copy: unknown[] | Record<string, unknown> = isList ? [] : {};
  copies.set(value, copy);
  for (const [key, inner] of Object.entries(value)) {
    // Defined, not assigned: a key named __proto__ stays a key.
    const made = {
      value: copyOf(inner, erase, isList ? name : key, copies, depth + 1),
      enumerable: true,
      writable: true,
      configurable: true,
    };
    Object.defineProperty(copy, isList ? key : erase(key), made);
  }
  return copy;
}

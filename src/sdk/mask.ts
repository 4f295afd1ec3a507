const hidden = "***";

/** Names whose values are nobody's business. */
const names =
  "pass(?:word|wd|phrase)|secret|token|credential|(?:api|access|secret|private|account|signing|encryption)[-_]?key";
const telling = new RegExp(`${names}|(?:^|[-_])pass$|authorization|cookie`, "i");

/** What secrets look like. No pattern looks back over what another part of it took, so all are linear. */
const shapes: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]*-----|$)/g, hidden],
  [/\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}/g, hidden],
  // Not only at the beginning of a word: the end of a colour stands right before it.
  [/(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,})/g, hidden],
  [/(?:xox[abeposr]-[A-Za-z0-9-]{10,}|npm_[A-Za-z0-9]{30,}|hf_[A-Za-z0-9]{30,}|AIza[A-Za-z0-9_-]{30,})/g, hidden],
  [/(?:AKIA|ASIA)[A-Z0-9]{16}|SG\.[\w-]{16,}\.[\w-]{16,}/g, hidden],
  [/(\bcookie:\s{0,4})[^\r\n"']{1,4096}/gi, `$1${hidden}`],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+/g, hidden],
  [/\b(bearer|basic)\s+[A-Za-z0-9+/=._~-]{8,}/gi, `$1 ${hidden}`],
  [/(:\/\/[^\s:/@]{0,256}:)[^\s/]{1,256}@/g, `$1${hidden}@`],
  [
    new RegExp(
      `((?:${names}|[-_]pass)(?:_base)?\\\\?["']?\\s{0,4}[=:]\\s{0,4})(?:\\\\?"[^"]{1,4096}"|'[^']{1,4096}'|[^\\s"',;&]{1,4096})`,
      "gi",
    ),
    `$1${hidden}`,
  ],
];

/** A text without what looks like a secret. It guesses: it may hide too much, and a secret of no known shape stays. */
export function maskText(text: string): string {
  return shapes.reduce((so, [shape, put]) => so.replace(shape, put), text);
}

/** The same for every text inside a value; under a telling name any text is hidden. */
export function maskSecrets(value: unknown, name = ""): unknown {
  if (typeof value === "string") return telling.test(name) && value !== "" ? hidden : maskText(value);
  if (Array.isArray(value)) return value.map((inner) => maskSecrets(inner, name));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, maskSecrets(inner, key)]));
}

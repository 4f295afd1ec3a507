import { type Hook, isSecretVariable } from "../../protocol/internal.ts";

/**
 * The texts that no observer may see: values of variables with secret-looking names, and the values of http headers, as written, with
 * their variables replaced and without the word for their scheme. Each also in the spellings of JSON and of URLs; longest first.
 */
export function secretValues(
  env: Readonly<Record<string, string | undefined>>,
  hooks: readonly Hook[],
): readonly string[] {
  const found = new Set<string>();
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && isSecretVariable(name)) add(found, value);
  }
  for (const hook of hooks) {
    if (hook.type !== "http") continue;
    for (const [name, written] of Object.entries(hook.headers ?? {})) {
      if (!harmless.has(name.toLowerCase())) addHeader(found, written, env);
    }
  }
  return [...found].sort((a, b) => b.length - a.length);
}

/** Shorter values are too common in ordinary text to be blacked out. */
const fewestChars = 6;

/** Headers that describe the request and hold no secret. */
const harmless: ReadonlySet<string> = new Set(["accept", "accept-encoding", "content-type", "user-agent"]);

function addHeader(found: Set<string>, written: string, env: Readonly<Record<string, string | undefined>>): void {
  const filled = written.replace(variable, (_, braced?: string, bare?: string) => {
    const name = braced ?? bare ?? "";
    const value = (Object.hasOwn(env, name) ? env[name] : undefined) ?? "";
    add(found, value);
    return value;
  });
  // A header that is all variable has no literal part that could be a secret.
  if (written.replace(variable, "").trim() !== "") add(found, written);
  add(found, filled);
  add(found, filled.replace(/^(?:bearer|basic|digest|token|apikey|key)\s+/i, ""));
}

const variable = /\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))/g;

function add(found: Set<string>, value: string): void {
  const text = value.trim();
  if (text.length < fewestChars) return;
  found.add(text);
  found.add(JSON.stringify(text).slice(1, -1));
  // Half of a surrogate pair cannot be written in a URL.
  found.add(encodeURIComponent(Buffer.from(text).toString()));
}

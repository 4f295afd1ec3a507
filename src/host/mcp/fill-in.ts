/** `${NAME}` and `${NAME:-default}` from the environment. One pass: what a variable holds is never read as a placeholder. */
export function fillIn(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
  missing: { add(name: string): unknown },
): string {
  return text.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g, (_, name: string, fallback?: string) => {
    const value = env[name] ?? fallback;
    if (value === undefined) missing.add(name);
    return value ?? "";
  });
}

/** Names whose value changes how things look, not what runs. */
const harmless = /^(LANG|LANGUAGE|LC_[A-Z]+|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR|COLUMNS|LINES|CI|NODE_ENV)$/;

/** Whether a command's own environment, or the exported one, may have this name set to a known value. */
export function isHarmlessName(name: string): boolean {
  return harmless.test(name);
}

/** Whether the shell may keep this name to itself: lower case, and nothing that a started program would see or bash acts on. */
export function isPrivateName(name: string, envNames: ReadonlySet<string>): boolean {
  return /^[a-z_][a-z0-9_]*$/.test(name) && !envNames.has(name) && !name.endsWith("_proxy") && !name.startsWith("npm_");
}

/**
 * What a server is given of our environment: enough to find programs and a home, and none of the keys that lie beside them. What else
 * it needs stands in its configuration, where a person can see it.
 */
export function serverEnv(
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
): Readonly<Record<string, string | undefined>> {
  const handed = Object.entries(env).filter(([name]) => plainNames.has(name) || /^LC_/.test(name));
  return { ...Object.fromEntries(handed), CLAUDE_PROJECT_DIR: cwd };
}

const plainNames: ReadonlySet<string> = new Set([
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "TERM",
  "LANG",
  "TZ",
  "TMPDIR",
  "XDG_RUNTIME_DIR",
  "XDG_CONFIG_HOME",
  "XDG_CACHE_HOME",
  "XDG_DATA_HOME",
  // Windows does without none of these.
  "APPDATA",
  "HOMEDRIVE",
  "HOMEPATH",
  "LOCALAPPDATA",
  "PATHEXT",
  "PROCESSOR_ARCHITECTURE",
  "PROGRAMFILES",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "TEMP",
  "TMP",
  "USERNAME",
  "USERPROFILE",
  // So that a trace goes on, recursion is counted and leftovers are found.
  "TRACEPARENT",
  "TRACESTATE",
  "HOOKLINE_DEPTH",
  "HOOKLINE_RUN",
]);

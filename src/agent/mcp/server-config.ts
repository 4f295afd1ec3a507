import { isObject, isStringList, isStringRecord } from "../../protocol/internal.ts";

/** How one server is reached. */
export type ServerConfig =
  | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | { readonly kind: "http"; readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** Why settings keep a server from being used; undefined when it may be used. */
export type ServerPolicy = (name: string, config: ServerConfig) => string | undefined;

/** The config with its variables filled in, or what is wrong with it. */
export type ReadConfig = ServerConfig | { readonly kind: "unusable"; readonly why: string };

/** Reads one entry of `mcpServers`. Contract: never throws, whatever the entry is. */
export function readServerConfig(value: unknown, env: Readonly<Record<string, string | undefined>>): ReadConfig {
  if (!isObject(value)) return unusable("it is not an object");
  const { type, command, args = [], env: own = {}, url, headers = {} } = value;
  const kind = type ?? (url === undefined ? "stdio" : "http");
  const missing = new Set<string>();
  // `${NAME}` and `${NAME:-default}` from the environment. One pass: what a variable holds is never read as a placeholder.
  const fill = (text: string): string =>
    text.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g, (_, name: string, fallback?: string) => {
      const value = env[name] ?? fallback;
      if (value === undefined) missing.add(name);
      return value ?? "";
    });
  if (kind === "stdio") {
    if (typeof command !== "string" || command === "") return unusable('"command" must be a string');
    if (!isStringList(args)) return unusable('"args" must be a list of strings');
    if (!isStringRecord(own)) return unusable('"env" must contain only strings');
    const config = { kind: "stdio", command: fill(command), args: args.map(fill), env: mapped(own, fill) } as const;
    return missing.size > 0 ? unset(missing) : config;
  }
  if (kind !== "http" && kind !== "streamable-http") {
    return unusable(`servers of type ${JSON.stringify(kind)} are not supported; stdio and http are`);
  }
  if (typeof url !== "string") return unusable('"url" must be a string');
  if (!isStringRecord(headers)) return unusable('"headers" must contain only strings');
  const config = { kind: "http", url: fill(url), headers: mapped(headers, fill) } as const;
  if (missing.size > 0) return unset(missing);
  return /^https?:\/\//i.test(config.url) && URL.canParse(config.url)
    ? config
    : unusable('"url" is not an http address');
}

function unusable(why: string): ReadConfig {
  return { kind: "unusable", why };
}

function unset(names: ReadonlySet<string>): ReadConfig {
  return unusable(`not set in the environment, and without a default: ${[...names].join(", ")}`);
}

function mapped(texts: Readonly<Record<string, string>>, fill: (text: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, fill(text)]));
}

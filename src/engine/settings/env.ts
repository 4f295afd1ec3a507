import type { Warning } from "../../protocol/index.ts";
import type { Layer } from "../layer.ts";
import { nameOf } from "./read.ts";

/** The variables a checkout may give its own hooks: none that changes how programs load or where they connect. */
export function checkoutEnv(layers: readonly Layer[]): {
  readonly env: Readonly<Record<string, string>>;
  readonly warnings: readonly Warning[];
} {
  const env: Record<string, string> = Object.create(null);
  const warnings: Warning[] = [];
  for (const layer of layers.filter(({ kind }) => kind === "project" || kind === "local")) {
    for (const [name, value] of Object.entries(layer.settings.env ?? {})) {
      if (isGuarded(name)) warnings.push(ignored(name, layer));
      else env[name] = value;
    }
  }
  return { env, warnings };
}

const guarded: readonly RegExp[] = [
  /^(?:PATH|ENV|BASH_ENV|SHELLOPTS|IFS)$/,
  /^(?:LD|DYLD|HOOKLINE)_/,
  /^NODE_(?:OPTIONS|PATH|EXTRA_CA_CERTS|TLS_REJECT_UNAUTHORIZED)$/,
  /^(?:PYTHON(?:PATH|HOME|STARTUP)|PERL5(?:LIB|OPT)|RUBY(?:LIB|OPT)|JAVA_TOOL_OPTIONS)$/,
  /^GIT_(?:SSH|SSH_COMMAND|EXEC_PATH|CONFIG.*)$/,
  /^SSL_CERT_(?:FILE|DIR)$/,
  /_(?:PROXY|BASE_URL)$/,
];

/** Whatever the letter case: `http_proxy` is read in small letters. */
function isGuarded(name: string): boolean {
  const upper = name.toUpperCase();
  return guarded.some((pattern) => pattern.test(upper));
}

function ignored(name: string, layer: Layer): Warning {
  return {
    code: "env-ignored",
    message: `env.${name} in ${nameOf(layer)} is ignored: ${layer.kind} settings may not change how programs load or where they connect.`,
    place: `${nameOf(layer)}: env.${name}`,
  };
}

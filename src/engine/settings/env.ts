import type { Warning } from "../../protocol/index.ts";
import type { Layer } from "../layer.ts";
import { isGuarded } from "./guarded-names.ts";
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

function ignored(name: string, layer: Layer): Warning {
  return {
    code: "env-ignored",
    message: `env.${name} in ${nameOf(layer)} is ignored in Hookline's hosts: ${layer.kind} settings may not change how programs load, where they connect or whether hooks run. Claude Code may pass it to hooks.`,
    place: `${nameOf(layer)}: env.${name}`,
  };
}

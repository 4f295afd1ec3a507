import { openRules } from "../engine/index.ts";
import type { JudgeContext, RuleLayer } from "../permissions/index.ts";
import type { Warning } from "../protocol/index.ts";
import type { Call, Io } from "./command-line/command.ts";
import { settingsFiles } from "./options/settings-options.ts";

export interface PermissionLayers {
  readonly layers: readonly RuleLayer[];
  readonly warnings: readonly Warning[];
  /** The place of a call, with the files that must not be changed unasked. */
  readonly context: JudgeContext;
}

/** The rules of every settings file that applies, and those given on the command line. */
export async function permissionLayers(call: Call, cwd: string, io: Io): Promise<PermissionLayers> {
  const flags: RuleLayer = {
    scope: "flags",
    allow: call.texts("allow"),
    ask: call.texts("ask"),
    deny: call.texts("deny"),
  };
  const rules = await openRules({ cwd, home: io.home, env: io.env, settings: settingsFiles(call, io) });
  const alone = call.flag("no-settings");
  const counted = rules.layers.filter(({ scope }) => !alone || scope === "settings");
  const isCounted = ({ place }: Warning) => !alone || counted.some(({ file }) => file && place?.startsWith(file));
  return {
    layers: [...counted, flags],
    warnings: rules.warnings.filter((warning) => concernsPermissions(warning) && isCounted(warning)),
    context: rules.context(),
  };
}

/** What loading has to say about files as a whole and about permissions; what it says about hooks is for `list`. */
function concernsPermissions({ code, place }: Warning): boolean {
  if (code === "not-trusted") return place?.endsWith(":permissions") === true;
  if (code === "policy-key-ignored") return /: (?:permissions\.|allowManagedPermissionRulesOnly$)/.test(place ?? "");
  return codes.has(code);
}

const codes: ReadonlySet<string> = new Set([
  "settings-unreadable",
  "settings-invalid",
  "setting-unsupported",
  "managed-unreadable",
  "trust-store-refused",
]);

import { nearest } from "../protocol/index.ts";
import type { RuleLayer } from "./rule-layer.ts";
import type { RuleList } from "./rules/rule-meaning.ts";
import type { RuleWarning } from "./warning.ts";

const lists: readonly RuleList[] = ["allow", "ask", "deny"];

const known: { readonly [Key in keyof RuleLayer | "workingDirectoriesAsGiven"]-?: true } = {
  scope: true,
  file: true,
  allow: true,
  ask: true,
  deny: true,
  additionalDirectories: true,
  defaultMode: true,
  disableBypassPermissionsMode: true,
  disableAutoMode: true,
  blockReadsOutsideWorkingDirectories: true,
  blockWritesOutsideWorkingDirectories: true,
  blockReadsExemptPaths: true,
  denyInsteadOfPrompting: true,
  allowManagedPermissionRulesOnly: true,
  trusted: true,
  unreadable: true,
  // What reads settings files reports it.
  workingDirectoriesAsGiven: true,
};

/** Keys that are no keys, and lists that are no lists: what stands there restricts nothing, or not as written. */
export function layerFaults(layer: RuleLayer): readonly RuleWarning[] {
  const warning = (key: string, what: string): RuleWarning => {
    const place = `${layer.file ?? layer.scope}, permissions.${key}`;
    return { code: "rule-invalid", message: `${place} ${what}`, place };
  };
  const misspelled = Object.keys(layer).filter((key) => !Object.hasOwn(known, key));
  const mistyped = lists.filter((list) => layer[list] !== undefined && !Array.isArray(layer[list]));
  return [
    ...misspelled.map((key) => {
      const near = nearest(key, Object.keys(known));
      const hint = near === undefined ? "" : `; did you mean "${near}"?`;
      return warning(key, `is not a key of permissions, so what it holds does not count${hint}`);
    }),
    ...mistyped.map((list) => {
      const counts = writtenRules(layer, list).length > 0 ? "it counts as a list of one rule" : "it does not count";
      return warning(list, `must be a list of rules; ${counts}`);
    }),
  ];
}

/** The rules of a list. One rule in the place of a list restricts all the same; it grants nothing. */
export function writtenRules(layer: RuleLayer, list: RuleList): readonly unknown[] {
  const written: unknown = layer[list];
  if (Array.isArray(written)) return written;
  return typeof written === "string" && list !== "allow" ? [written] : [];
}

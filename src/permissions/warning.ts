/** A problem with a rule, a mode or an update that stops nothing; `place` names file, list and index. */
export interface RuleWarning {
  readonly code: RuleWarningCode;
  readonly message: string;
  readonly place?: string;
}

/** Every warning this module gives, with what it tells. */
export const ruleWarningCodes = {
  "rule-invalid":
    "a permission rule or a key of permissions cannot be read and is off; a tool under deny or ask is asked about until it is fixed",
  "rule-elsewhere": "a deny or ask rule on a path such as /etc counts from the folder of its source; // is the root",
  "rule-too-wide": "an allow rule covers more than an allow rule may and grants nothing",
  "mode-unknown": "a permission mode nobody knows; default is used",
  "mode-ignored": "a permission mode that may not be set there",
  "permission-update-invalid": "an entry of updatedPermissions was dropped",
} as const;

export type RuleWarningCode = keyof typeof ruleWarningCodes;

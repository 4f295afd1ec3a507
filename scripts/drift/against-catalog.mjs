/** What the types of Claude Code's SDK declare about hooks and settings, held against Hookline's catalog and the keys known so far. */
import { declaredNames, membersOf } from "./declared-types.mjs";

/** Fields of payloads and answers that one side has and the other has not, by event. */
export function eventDrift(source, { catalog, commonFields }) {
  const common = new Set(Object.keys(commonFields));
  // Seen on the wire, though no release declares it.
  const undeclared = Object.keys(commonFields).filter((field) => commonFields[field].newer);
  const declared = new Set(declaredNames(source, "HookInput").filter((name) => name !== "" && name !== "Base"));
  const lines = [];
  for (const name of declared) if (!(name in catalog)) lines.push(`new event ${name}`);
  for (const name of Object.keys(catalog)) if (!declared.has(name)) lines.push(`event ${name} was removed`);
  compare(
    lines,
    "the fields of every payload",
    membersOf(source, "BaseHookInput") ?? [],
    [...common],
    ["hook_event_name", ...undeclared],
  );
  for (const [name, row] of Object.entries(catalog)) {
    if (!declared.has(name)) continue;
    const fields = (membersOf(source, `${name}HookInput`) ?? []).filter((field) => !common.has(field));
    compare(lines, `${name} payload`, fields, Object.keys(row.fields), [...common]);
    const answers = membersOf(source, `${name}HookSpecificOutput`) ?? [];
    compare(lines, `${name} answer`, answers, row.answers, ["hookEventName", "permissionDecisionReason"]);
  }
  return lines;
}

function compare(lines, where, declared, known, ignored) {
  const skip = new Set(ignored);
  for (const field of declared)
    if (!known.includes(field) && !skip.has(field)) lines.push(`${where}: new field ${field}`);
  for (const field of known)
    if (!declared.includes(field) && !skip.has(field)) lines.push(`${where}: ${field} is not declared`);
}

/** The keys that the SDK's types declare for settings, the members of `permissions` included. */
export function settingsKeys(source) {
  const permissions = membersOf(source, "Settings", ["permissions"]) ?? [];
  return [...(membersOf(source, "Settings") ?? []), ...permissions.map((key) => `permissions.${key}`)].sort();
}

export function settingsDrift(source, known) {
  const declared = settingsKeys(source);
  return [
    ...declared.filter((key) => !known.includes(key)).map((key) => `new setting ${key}`),
    ...known.filter((key) => !declared.includes(key)).map((key) => `setting ${key} was removed`),
  ];
}

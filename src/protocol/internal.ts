export type { AgentResult, Denial, ModelSpending } from "./agent-result.ts";
export { closestName, didYouMean, isMisspelling } from "./did-you-mean.ts";
export { eventRow } from "./events/catalog.ts";
export { commonFields } from "./events/common-fields.ts";
export type { AnswerName, AppMethod } from "./events/event-row.ts";
export {
  foreignName,
  foreignNameText,
  handlersThatNeverRun,
  intendedInPattern,
  intendedInWildcard,
  intendedName,
} from "./events/known-names.ts";
export { fileHookTypes, groupFields, hookFields, hooksFileOfCommand, inProcessFields } from "./hook.ts";
export { eventOutputFields, hookOutputFields } from "./hook-output.ts";
export * from "./index.ts";
export { changesOf, type Hunk, hunkOf, patchOf } from "./line-diff.ts";
export {
  attempt,
  deferMethods,
  defined,
  each,
  fieldOf,
  groupBy,
  isObject,
  isStringList,
  isStringRecord,
  lazy,
  memoized,
  parseJson,
  parseObject,
  stringsIn,
  succeeds,
  textField,
  unlessAborted,
} from "./objects.ts";
export { badOption, checkAll, checkNamed, checkOf, mustBe, type OptionCheck, oneOfCheck } from "./option-checks.ts";
export type { HookAnswerRecord, ModelUsage } from "./outcome.ts";
export { callHost, guardedObserver, loadPackage, messageOf, showValue, systemErrorMessage } from "./problem.ts";
export { escapeRegExp, isSecretVariable, withoutSecrets } from "./secrets.ts";
export { layerKinds, settingsFields } from "./settings.ts";
export { escapeControls, escapeJson, escapeLines, plainLine, plainText, stripControl } from "./terminal-text.ts";
export { ruleWarningCodes } from "./warning-codes.ts";
export { fitsPieces, fitsWildcard } from "./wildcard.ts";

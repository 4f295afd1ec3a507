import type { ScopePlaces, Uninstalled } from "../../install/index.ts";
import { visible } from "../../protocol/index.ts";
import { jsonText } from "./json.ts";
import { masked } from "./masked.ts";
import type { Style } from "./style.ts";
import { unifiedDiff } from "./unified.ts";

export function uninstallText(
  done: Uninstalled,
  { settingsFile, scope }: ScopePlaces,
  { dryRun, purged, scopeNamed }: { dryRun: boolean; purged: readonly string[]; scopeNamed: boolean },
  style: Style,
): string {
  const file = visible(settingsFile);
  const gone = purged.map((path) => `${dryRun ? "would remove" : "removed"}   ${visible(path)}\n`).join("");
  if (!done.wasInstalled) return `Nothing is installed ${scopeNamed ? `in ${scope} scope` : "here"}.\n${gone}`;
  if (dryRun) {
    const diff = unifiedDiff(settingsFile, masked(done.before), done.after === null ? null : masked(done.after), style);
    return `${diff || `${file} would stay as it is.\n`}${gone}`;
  }
  const what = {
    restored: `${file} has its old bytes back`,
    removed: `${file} was made by install and is gone`,
    cut: `our entries are cut out of ${file}; what others wrote stays`,
    nothing: `${file} held no entry of ours`,
  }[done.how];
  return `${style.green("uninstalled")}: ${what}\n${gone}`;
}

export function uninstallJson(
  done: Uninstalled,
  { settingsFile, scope }: ScopePlaces,
  dryRun: boolean,
  purged: readonly string[],
): string {
  const { wasInstalled, how, before, after, hooksFile } = done;
  return jsonText({
    scope,
    settingsFile,
    hooksFile: hooksFile ?? null,
    wasInstalled,
    how,
    dryRun,
    purged,
    ...(dryRun ? { before: masked(before), after: after === null ? null : masked(after) } : {}),
  });
}

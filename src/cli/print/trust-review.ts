import type { NotCovered, PinnedFile, ReviewedFile, TrustEntry, TrustReview } from "../../engine/internal.ts";
import { escapeControls, stripControl } from "../../protocol/internal.ts";
import { diffLines } from "./diff.ts";
import type { Style } from "./terminal.ts";

/** What a directory would run: new entries in full, changed ones as a diff. */
export function reviewText(review: TrustReview, entries: readonly TrustEntry[], style: Style): string {
  const { project, accepted, refused, warnings } = review;
  const nothing = review.entries.length === 0 && warnings.length === 0 ? "has nothing that needs approval" : "";
  const shown = new Set<string>();
  const lines = [
    `${style.bold(escapeControls(project))}  ${accepted === undefined ? nothing : `accepted ${escapeControls(accepted)}`}`.trimEnd(),
    ...(refused === undefined ? [] : ["", `${style.red("Approvals are ignored:")} ${escapeControls(refused)}.`]),
    ...warnings.map(({ message }) => `${style.red("cannot be reviewed:")} ${stripControl(message)}`),
    ...entries.flatMap((entry) => ["", ...entryLines(entry, style, shown)]),
    ...(entries.length === 0 ? [] : ["", "Hooks run with all your permissions."]),
  ];
  return `${lines.join("\n")}\n`;
}

/** `shown` has the files that were printed before. They are named again, and their content is not repeated. */
export function entryLines(entry: TrustEntry, style: Style, shown: Set<string>): readonly string[] {
  const { id, kind, event, file, state, detail, digest, unusable } = entry;
  const what = kind === "hook" ? `hook on ${event ?? ""}` : kind === "mcpServer" ? "MCP server" : `the key ${kind}`;
  return [
    `${painted(state, style)} ${style.bold(what)}${file === undefined ? "" : ` of ${escapeControls(file)}`}`,
    ...(detail === "" ? [] : [`  ${escapeControls(detail)}`]),
    ...(unusable === undefined ? [] : [`  ${style.red("cannot be approved:")} ${escapeControls(unusable)}`]),
    ...[...contentLines(entry, style, shown), ...coverageLines(entry, style)].map((line) => `  ${line}`),
    `  ${style.dim(`${escapeControls(id)}${digest === undefined ? "" : `=${digest}`}`)}`,
  ];
}

/** What may run although the approval does not cover it. */
function coverageLines({ kind, definition, files, notCovered, unusable }: TrustEntry, style: Style): readonly string[] {
  const { hook } = definition as { readonly hook?: { readonly type?: string } };
  const runs = kind === "hook" ? hook?.type === "command" : kind === "statusLine" || kind === "mcpServer";
  if (!runs || unusable !== undefined) return [];
  return [
    ...(files.length === 0 ? [style.yellow("no files: this approval covers only the definition above")] : []),
    ...notCovered
      .filter((one) => !isRepeated(one, notCovered))
      .map(({ what, why }) => `${style.yellow("not covered:")} ${escapeControls(what)} (${escapeControls(why)})`),
  ];
}

/** A package of which single files are covered is listed for those, too. */
function isRepeated({ what, why }: NotCovered, all: readonly NotCovered[]): boolean {
  return why.startsWith("a package; its own") && all.some((one) => one.what === what && one.why !== why);
}

/** One line about an entry, without its content. */
export function entryLine({ id, kind, event, digest }: TrustEntry): string {
  return `${kind === "hook" ? (event ?? kind) : kind}  ${escapeControls(id)}=${digest ?? ""}`;
}

export function reviewJson({ project, accepted, refused, warnings, entries }: TrustReview): Record<string, unknown> {
  return { project, accepted: accepted ?? null, refused: refused ?? null, warnings, entries: entries.map(entryJson) };
}

function entryJson(entry: TrustEntry): Record<string, unknown> {
  const { files, before, event, file, digest, unusable, ...rest } = entry;
  return {
    ...rest,
    event: event ?? null,
    file: file ?? null,
    digest: digest ?? null,
    unusable: unusable ?? null,
    files: files.map(({ path, sha256, sizeBytes }) => ({ path, sha256, sizeBytes })),
    before: before
      ? { definition: before.definition, files: before.files.map(({ path, sha256 }) => ({ path, sha256 })) }
      : null,
  };
}

function painted(state: TrustEntry["state"], style: Style): string {
  const text = state.padEnd(8);
  return state === "trusted" ? style.green(text) : state === "new" ? style.yellow(text) : style.red(text);
}

function contentLines(entry: TrustEntry, style: Style, shown: Set<string>): readonly string[] {
  const { before, definition, files, state, unusable } = entry;
  const content = (file: ReviewedFile) => (state === "trusted" ? [] : fileTextOnce(file, style, shown));
  if (before !== undefined) {
    return [
      ...textDiff(`${printed(entry, before.definition)}\n`, `${printed(entry, definition)}\n`, style),
      // The files of an entry that cannot be approved are not known.
      ...(unusable === undefined ? fileChanges(before.files, files, style) : []),
    ];
  }
  return [
    ...printed(entry, definition).split("\n").map(escapeControls),
    ...files.flatMap((file) => [fileLine(file, style), ...content(file)]),
  ];
}

/** The definition as in settings, without the event and without default values. */
function printed({ kind }: TrustEntry, definition: unknown): string {
  if (kind !== "hook") return JSON.stringify(definition, null, 2);
  const { hook, event: _, ...around } = definition as Readonly<Record<string, unknown>>;
  const defaults: readonly unknown[] = ["", false, "continue", "settings"];
  const others = Object.fromEntries(Object.entries(around).filter(([, value]) => !defaults.includes(value)));
  return JSON.stringify({ ...others, ...(hook as object) }, null, 2);
}

function fileLine({ path, sizeBytes, sha256 }: ReviewedFile, style: Style): string {
  return `${style.bold(escapeControls(path))}  ${sizeBytes} bytes  ${style.dim(`sha256:${sha256}`)}`;
}

function fileTextOnce(file: ReviewedFile, style: Style, shown: Set<string>): readonly string[] {
  const key = `${file.path} ${file.sha256}`;
  if (shown.has(key)) return ["  (shown above)"];
  shown.add(key);
  return fileText(file, style);
}

const mostLines = 400;

function fileText({ text, path }: ReviewedFile, style: Style): readonly string[] {
  if (text === undefined) return ["  (too long or not text: see the file itself)"];
  const lines = text.replace(/\n$/, "").split("\n");
  const shown = lines.slice(0, mostLines).map((line) => `  ${style.dim("|")} ${escapeControls(line)}`);
  const left = lines.length - shown.length;
  return left === 0 ? shown : [...shown, `  … ${left} more lines in ${escapeControls(path)}`];
}

function fileChanges(before: readonly PinnedFile[], after: readonly ReviewedFile[], style: Style): readonly string[] {
  const dropped = before.filter(({ path }) => !after.some((file) => file.path === path));
  return [
    ...after.flatMap((file) => {
      const old = before.find(({ path }) => path === file.path);
      if (old?.sha256 === file.sha256) return [`${fileLine(file, style)}  unchanged`];
      if (old === undefined) return [`${fileLine(file, style)}  new`, ...fileText(file, style)];
      return [`${fileLine(file, style)}  changed`, ...fileDiff(old, file, style)];
    }),
    ...dropped.map(({ path }) => `${style.bold(escapeControls(path))}  no longer covered`),
  ];
}

function fileDiff(before: PinnedFile, after: ReviewedFile, style: Style): readonly string[] {
  if (before.text === undefined || after.text === undefined) return fileText(after, style);
  return textDiff(before.text, after.text, style).map((line) => `  ${line}`);
}

function textDiff(before: string, after: string, style: Style): readonly string[] {
  const paint = { "+": style.green, "-": style.red, " ": style.dim };
  return diffLines(before, after).map(({ mark, text }) => paint[mark](`${mark} ${escapeControls(text)}`));
}

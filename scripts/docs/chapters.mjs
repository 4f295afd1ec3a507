/** The chapters in reading order: the links in docs/README.md. */
export function chaptersIn(contents) {
  return [...contents.matchAll(/^\d+\. \[([^\]]+)\]\(([^)]+\.md)\)/gm)].map(([, title, file]) => ({ title, file }));
}

/** The chapter with its last line naming the one before and the one after it. */
export function withFooter(text, file, chapters) {
  const at = chapters.findIndex((chapter) => chapter.file === file);
  const link = (word, chapter) => (chapter === undefined ? [] : [`${word}: [${chapter.title}](${chapter.file})`]);
  const contents = "[Contents](README.md)";
  const footer = [...link("Previous", chapters[at - 1]), ...link("Next", chapters[at + 1]), contents].join(" · ");
  return `${text.trimEnd().replace(oldFooter, "").trimEnd()}\n\n---\n\n${footer}\n`;
}

const oldFooter = /(?:\n---\n\n(?:Previous: |Next: |\[Contents\]).*\s*)+$/;

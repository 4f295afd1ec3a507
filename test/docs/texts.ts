import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const root: string = resolve(import.meta.dirname, "../..");

export function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** Every page people read: those at the root, the chapters, and those next to what they describe. */
export const pages: readonly string[] = [
  ...readdirSync(root).filter((name) => name.endsWith(".md")),
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name)),
  "conformance/README.md",
  "test/interop/README.md",
];

/** The pages of docs/ without its list of contents. */
export const chapters: readonly string[] = pages.filter((page) => page.startsWith("docs") && page !== "docs/README.md");

/** Relative links of a page, images included; code is not looked at. */
export function linksIn(page: string): readonly string[] {
  const prose = page.replace(/^```[\s\S]*?^```$/gm, "").replace(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, to = ""]) => to).filter((to) => !/^[a-z]+:/.test(to));
}

/** The anchors of a page's headings, as hosts of Markdown make them. */
export function anchorsIn(page: string): ReadonlySet<string> {
  const headings = page.replace(/^```[\s\S]*?^```$/gm, "").matchAll(/^#+ (.+)$/gm);
  return new Set(
    [...headings].map(([, text = ""]) =>
      text
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

import { apiPage } from "./api-page.mjs";
import { chaptersIn, withFooter } from "./chapters.mjs";
import { cliPage } from "./cli-page.mjs";
import { problemsPage, warningsPage } from "./codes-pages.mjs";
import { eventsPage } from "./events-page.mjs";

/**
 * Every chapter of docs/ as it should be: reference pages printed from their source, the others as they are, each with its links to
 * the chapters around it. `read(file)` gives what a chapter holds now.
 */
export async function docPages({ tables, help, api, read }) {
  const chapters = chaptersIn(read("README.md"));
  const printed = {
    "events.md": eventsPage(tables),
    "warnings.md": warningsPage(tables),
    "problems.md": problemsPage(tables),
    "cli.md": await cliPage(help),
    "api.md": apiPage(api),
  };
  return new Map(chapters.map(({ file }) => [file, withFooter(printed[file] ?? read(file), file, chapters)]));
}

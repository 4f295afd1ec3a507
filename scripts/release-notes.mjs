/** `node scripts/release-notes.mjs v0.2.0` prints what CHANGELOG.md says about a version. */
import { readFileSync } from "node:fs";

const [tag = ""] = process.argv.slice(2);
const version = tag.replace(/^v/, "");
const changelog = readFileSync(new URL("../CHANGELOG.md", import.meta.url), "utf8");
const section = changelog
  .split(/^## /m)
  .find((text) => text.startsWith(`${version}\n`) || text.startsWith(`${version},`));
if (version === "" || section === undefined) {
  process.stderr.write(`CHANGELOG.md has no section for version "${version}".\n`);
  process.exit(1);
}
process.stdout.write(section.slice(section.indexOf("\n") + 1).trimStart());

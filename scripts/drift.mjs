/**
 * `npm run drift -- --client VERSION`: what a release of Claude Code changes. Compares the types of its SDK with the catalog of events and
 * with the settings keys known so far, runs the interop suite with it, reads the transcripts that it wrote, and names models of our table
 * that are near their end of life. VERSION is a release or `latest` (the default). Changes nothing; `--write-settings-keys` takes
 * the settings keys of that release as known. `--no-client` leaves out what needs Claude Code itself. `--json` prints one object.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { endOfLifeNotice, knownModels } from "../.build/models/anthropic/known-models.js";
import { catalog, commonFields } from "../.build/protocol/internal.js";
import { eventDrift, settingsDrift, settingsKeys } from "./drift/against-catalog.mjs";
import { modelDrift } from "./drift/models.mjs";
import { sdkTypes } from "./drift/sdk-types.mjs";
import { runWithClient } from "./drift/with-client.mjs";
import { clientOption, clients } from "./suites/client-version.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const keysFile = join(root, "scripts", "drift", "settings-keys.json");
const { version, others } = clientOption(process.argv.slice(2), "latest");
const known = ["--json", "--no-client", "--write-settings-keys"];
const unknown = others.find((word) => !known.includes(word));
if (unknown !== undefined) {
  process.stderr.write(`Unknown option "${unknown}". npm run drift takes --client VERSION, ${known.join(", ")}.\n`);
  process.exit(2);
}

const sections = {
  ...typeSections(),
  ...(others.includes("--no-client") ? {} : clientSections()),
  models: { lines: modelDrift({ knownModels, endOfLifeNotice }) },
};
if (others.includes("--json"))
  process.stdout.write(`${JSON.stringify({ client: version, proven: clients, ...sections }, null, 2)}\n`);
else print();

function typeSections() {
  const types = sdkTypes(version);
  if (types.missing !== undefined) return { events: { missing: types.missing }, settings: { missing: types.missing } };
  if (others.includes("--write-settings-keys")) {
    writeFileSync(keysFile, `${JSON.stringify(settingsKeys(types.text), null, 2)}\n`);
  }
  return {
    events: { lines: eventDrift(types.text, { catalog, commonFields }) },
    settings: { lines: settingsDrift(types.text, JSON.parse(readFileSync(keysFile, "utf8"))) },
  };
}

function clientSections() {
  const { missing, cases, transcripts } = runWithClient(version);
  if (missing !== undefined) return { transcripts: { missing }, cases: { missing } };
  return { transcripts: { lines: transcripts }, cases: { lines: cases } };
}

function print() {
  const titles = {
    events: "Events and fields (types of the SDK against the catalog)",
    settings: "Settings keys (types of the SDK against the keys known)",
    transcripts: "Transcripts (what the readers do not know)",
    cases: "Interop cases that changed",
    models: "Models near their end of life",
  };
  const proven = clients.proven[version];
  const state = proven === undefined ? `not proven; the newest proven is ${clients.newest}` : `proven on ${proven}`;
  const text = [`Claude Code ${version}: ${state}`];
  for (const [name, { lines, missing }] of Object.entries(sections)) {
    text.push("", `${titles[name]}: ${missing === undefined ? lines.length : `not run, ${missing}`}`);
    for (const line of lines ?? []) text.push(`  ${line.replaceAll("\n", "\n  ")}`);
  }
  process.stdout.write(`${text.join("\n")}\n`);
}

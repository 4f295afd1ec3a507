import { readFileSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sized } from "../../test/size.ts";
import { withoutComments } from "../engine/settings/json/edit-items.ts";
import { parseJsonc, plainValue } from "../engine/settings/json/jsonc.ts";
import { writeEntries } from "./edit/install-entries.ts";
import { uninstall } from "./edit/uninstall-entries.ts";
import { settingsTexts } from "./fixtures/settings-texts.ts";
import { guard, stop, world } from "./fixtures/world.ts";

const runs = sized(36, 1_000);

test(`of ${runs} generated files each has its bytes back after install and uninstall, with a second install in between`, async () => {
  const { call, source } = world();
  const file = call().places.settingsFile;
  await fc.assert(
    fc.asyncProperty(settingsTexts(), fc.boolean(), async (text, again) => {
      writeFileSync(file, text);
      const first = await writeEntries({ ...call(), stripComments: true });
      expect(first.settings.before).toBe(text);
      expect(readFileSync(file, "utf8")).not.toBe(text);
      if (again)
        await writeEntries({
          ...call({
            needs: [
              { ...guard, ids: ["PreToolUse"] },
              { ...stop, event: "SubagentStop" },
            ],
          }),
          stripComments: true,
        });
      const { how } = await uninstall({ places: call().places, home: source(), now: new Date() });
      expect(how).toBe("restored");
      expect(readFileSync(file, "utf8")).toBe(text);
    }),
    { numRuns: runs },
  );
});

test("what others write between install and uninstall stays, and our entries are removed", async () => {
  const { call, source } = world();
  const file = call().places.settingsFile;
  await fc.assert(
    fc.asyncProperty(settingsTexts(), async (text) => {
      writeFileSync(file, text);
      await writeEntries({ ...call(), stripComments: true });
      const behind = readFileSync(file, "utf8");
      writeFileSync(file, `${behind}\n// theirs`);
      const { how } = await uninstall({ places: call().places, home: source(), now: new Date() });
      const left = readFileSync(file, "utf8");
      expect([how, left.endsWith("\n// theirs"), left.includes("hookline-client")]).toEqual(["cut", true, false]);
      expect(comparable(left)).toBe(comparable(`${withoutComments(text)}\n// theirs`));
    }),
    { numRuns: Math.ceil(runs / 2) },
  );
});

test("whatever others changed between install and uninstall stays, in their layout, and nothing of ours does", async () => {
  const { call, source } = world();
  const file = call().places.settingsFile;
  const change = fc.constantFrom(...Object.values(changes));
  await fc.assert(
    fc.asyncProperty(
      settingsTexts(),
      fc.array(change, { maxLength: 3 }),
      fc.constantFrom(0, 2, "\t"),
      async (text, all, indent) => {
        writeFileSync(file, text);
        const before = valueIn(text);
        await writeEntries({ ...call(), stripComments: true });
        const now = all.reduce((settings, one) => one(settings), valueIn(readFileSync(file, "utf8")));
        // As agents do it: read, changed, and rewritten as a whole.
        writeFileSync(file, JSON.stringify(now, null, indent));
        await uninstall({ places: call().places, home: source(), now: new Date() });
        expect(valueIn(readFileSync(file, "utf8"))).toEqual(withoutOurs(now, before));
      },
    ),
    { numRuns: Math.ceil(runs / 3) },
  );
});

interface Group {
  readonly matcher?: string;
  readonly hooks?: readonly unknown[];
}
interface Settings {
  readonly hooks?: Readonly<Record<string, readonly Group[]>>;
}

const theirs: Group = { hooks: [{ type: "command", command: "theirs" }] };
const isOurs = (value: unknown) => JSON.stringify(value).includes("hookline-client");
const each =
  (of: (groups: readonly Group[], event: string) => readonly Group[]) =>
  (settings: Settings): Settings => ({
    ...settings,
    hooks: Object.fromEntries(
      Object.entries(settings.hooks ?? {}).map(([event, groups]) => [event, of(groups, event)]),
    ),
  });

const changes: Readonly<Record<string, (settings: Settings) => Settings>> = {
  nothingButTheLayout: (settings) => settings,
  anotherKey: (settings) => Object.assign({ theirs: [1] }, settings),
  noHooks: ({ hooks: _, ...rest }) => rest,
  emptyHooks: (settings) => ({ ...settings, hooks: {} }),
  anotherEvent: (settings) => ({ ...settings, hooks: { Theirs: [theirs], ...settings.hooks } }),
  groupBefore: each((groups) => [theirs, ...groups]),
  groupBehind: each((groups) => [...groups, theirs]),
  turnedRound: each((groups) => groups.toReversed()),
  oursTwice: each((groups) => groups.flatMap((group) => (isOurs(group) ? [group, group] : [group]))),
  oursWithTheirs: each((groups) =>
    groups.map((group) =>
      isOurs(group) ? { ...group, hooks: [...(group.hooks ?? []), "x", ...(theirs.hooks ?? [])] } : group,
    ),
  ),
  oursAltered: each((groups) => groups.map((group) => (isOurs(group) ? { ...group, matcher: "Mine" } : group))),
  oursGoneOnce: each((groups, event) => (event === "Stop" ? groups.filter((group) => !isOurs(group)) : groups)),
};

function valueIn(text: string): Settings {
  const parsed = parseJsonc(text);
  if ("fault" in parsed) throw new Error(parsed.fault.why);
  return JSON.parse(JSON.stringify(plainValue(parsed.tree))) as Settings;
}

/** Removes our hooks, with the groups, lists and the object that held nothing else and did not exist before. */
function withoutOurs(settings: Settings, before: Settings): Settings {
  if (!isOurs(settings)) return settings;
  const lists = Object.entries(settings.hooks ?? {}).map(([event, groups]) => {
    const left = groups
      .map((group) => (isOurs(group) ? { ...group, hooks: group.hooks?.filter((hook) => !isOurs(hook)) ?? [] } : group))
      .filter((group, index) => group === groups[index] || group.hooks?.length !== 0);
    return [event, left, left.length === 0 && groups.length > 0 && !Object.hasOwn(before.hooks ?? {}, event)] as const;
  });
  const hooks = Object.fromEntries(lists.filter(([, , isMade]) => !isMade).map(([event, left]) => [event, left]));
  const { hooks: _, ...rest } = settings;
  return Object.keys(hooks).length === 0 && before.hooks === undefined ? rest : { ...settings, hooks };
}

/** Without blanks: where a group stood the line may be laid out otherwise. */
function comparable(text: string): string {
  return text.replace(/\s/g, "");
}

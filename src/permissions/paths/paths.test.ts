import { expect, test } from "vitest";
import { protectionOf } from "./path-protection.ts";
import { foldName, foldsCase, isWithin, type PathFs, type PathStat, pathFault, resolvePath } from "./resolve-path.ts";

/** A file system of names: a folder, a file, or what a link says. */
function disk(
  entries: Record<string, "folder" | "file" | "special" | "unreadable" | { link: string }>,
  folds = false,
): PathFs {
  const key = (path: string) => (folds ? path.toLowerCase() : path);
  const known = new Map(
    Object.entries(entries).map(([path, entry], index) => [key(path), { entry, inode: index + 1 }]),
  );
  return {
    lstat(path): PathStat {
      const found = known.get(key(path));
      if (found === undefined) return { kind: "missing" };
      if (found.entry === "unreadable") return { kind: "unreadable" };
      return { kind: typeof found.entry === "object" ? "link" : found.entry, device: 1, inode: found.inode };
    },
    readlink(path) {
      const entry = known.get(key(path))?.entry;
      return typeof entry === "object" ? entry.link : undefined;
    },
  };
}

test("every name on the way is noted, the last is the real one", () => {
  const fs = disk({
    "/p": "folder",
    "/p/a": { link: "b" },
    "/p/b": { link: "/q/c" },
    "/q": "folder",
    "/q/c": "folder",
    "/q/c/f": "file",
  });
  expect(resolvePath("a/f", "/p", fs)).toEqual({
    given: "a/f",
    written: "/p/a/f",
    resolved: "/q/c/f",
    spellings: ["/p/a/f", "/p/b/f", "/q/c/f"],
    links: ["/p/a", "/p/b"],
    kind: "file",
  });
});

test("dots are resolved as the file system does, and a missing name hides no link behind it", () => {
  const fs = disk({
    "/p": "folder",
    "/p/l": { link: "/q/r" },
    "/q": "folder",
    "/q/r": "folder",
    "/p/x": { link: "/etc" },
    "/etc": "folder",
  });
  expect(resolvePath("l/../f", "/p", fs).resolved).toBe("/q/f");
  expect(resolvePath("new/../x/f", "/p", fs).resolved).toBe("/etc/f");
  expect(resolvePath("new/deep/f", "/p", fs)).toMatchObject({ resolved: "/p/new/deep/f", kind: "missing" });
  expect(resolvePath("../../../..", "/p", fs).resolved).toBe("/");
  expect(resolvePath("/p//x/./f/", "/", fs).resolved).toBe("/etc/f");
});

test("more than forty links, a loop and a failed lookup are unreadable", () => {
  const chain = Object.fromEntries(
    Array.from({ length: 45 }, (_, index) => [`/l${index}`, { link: `/l${index + 1}` }]),
  );
  expect(resolvePath("/l0", "/", disk(chain)).kind).toBe("unreadable");
  expect(resolvePath("/l10", "/", disk({ ...chain, "/l45": "file" })).kind).toBe("file");
  expect(resolvePath("/a", "/", disk({ "/a": { link: "a" } })).kind).toBe("unreadable");
  expect(resolvePath("/a/b", "/", disk({ "/a": "unreadable" })).kind).toBe("unreadable");
});

test("containment is by segments", () => {
  expect([
    isWithin("/t/proj/a", "/t/proj"),
    isWithin("/t/proj", "/t/proj"),
    isWithin("/t/proj-evil/a", "/t/proj"),
    isWithin("/a", "/"),
  ]).toEqual([true, true, false, true]);
});

test("whether a volume is case-sensitive is looked up once; where it is unknown, names are folded", () => {
  const entries = { "/home": "folder", "/home/u": "folder" } as const;
  expect(foldsCase("/home/u/new", "auto", disk(entries))).toBe(false);
  expect(foldsCase("/home/u/new", "auto", disk(entries, true))).toBe(true);
  expect(foldsCase("/1/2", "auto", disk({ "/1": "folder" }))).toBe(true);
  expect([foldsCase("/x", "sensitive", disk({})), foldsCase("/x", "insensitive", disk({}))]).toEqual([false, true]);
});

test("folding finds every variant of a name", () => {
  for (const [a, b] of [
    ["É", "e\u0301"],
    ["ſ", "S"],
    ["K", "k"],
    ["Straße", "STRASSE"],
    [".GIT", ".git"],
  ])
    expect(foldName(a ?? "")).toBe(foldName(b ?? ""));
});

test("case, invisible letters, streams, short names and dots at the end do not evade protection", () => {
  const roots = ["/p", "/home/u"];
  const tricks = [
    ".git/x",
    ".GIT/x",
    ".g\u200cit/x",
    ".git./x",
    ".git /x",
    ".git::$INDEX/x",
    "git~1/x",
    "GIT~1/x",
    "sub/.claude/x",
    ".Config/Git/x",
    ".BASHRC",
    "a/.npmrc",
  ];
  expect(tricks.filter((path) => protectionOf(`/p/${path}`, roots) === undefined)).toEqual([]);
  const fine = [
    "git/x",
    "src/git.ts",
    ".gitignore",
    "claude/x",
    ".claude/worktrees/a/x",
    "package.json",
    "a.git/x",
    ".env",
  ];
  expect(fine.filter((path) => protectionOf(`/p/${path}`, roots) !== undefined)).toEqual([]);
});

test("a text that cannot be a path is refused with the reason", () => {
  expect(["", "a\0", "a".repeat(4_097), 5, undefined].map((path) => pathFault(path) !== undefined)).toEqual(
    Array(5).fill(true),
  );
  expect(pathFault("a")).toBeUndefined();
});

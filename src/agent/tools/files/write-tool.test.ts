import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toolWorld } from "../fixtures/world.ts";
import { editTool } from "./edit-tool.ts";
import { readTool } from "./read-tool.ts";
import { writeTool } from "./write-tool.ts";

test("a file is overwritten only if it was read and has not changed since", async () => {
  const { call, write, context } = toolWorld();
  const file_path = write("a.txt", "one\n");
  const refused = (text: string) => ({ isError: true, content: `<tool_use_error>${text}</tool_use_error>` });
  const edit = { file_path, old_string: "one", new_string: "two" };
  const unread = refused("File has not been read yet. Read it first before writing to it.");
  expect(await call(editTool, edit)).toMatchObject(unread);
  expect(await call(writeTool, { file_path, content: "x" })).toMatchObject(unread);
  await call(readTool, { file_path });
  write("a.txt", "one\nmore\n");
  const changed = refused(
    "File has been modified since read, either by the user or by a linter. Read it again before attempting to write it.",
  );
  expect(await call(editTool, edit)).toMatchObject(changed);
  expect(await call(writeTool, { file_path, content: "x" })).toMatchObject(changed);
  await call(readTool, { file_path });
  expect(await call(editTool, edit)).toMatchObject({ isError: false });
  expect(await call(writeTool, { file_path, content: "own\n" })).toMatchObject({ response: { type: "update" } });
  expect(readFileSync(file_path, "utf8")).toBe("own\n");
  context.readState.clear();
  expect(await call(editTool, { ...edit, old_string: "own" })).toMatchObject(unread);
});

test("a file that changes between check and write keeps its new content", async () => {
  const { call, write, context } = toolWorld();
  const file_path = write("a.txt", "one\n");
  await call(readTool, { file_path });
  // What was read is last checked just before the write: a rival writes right after that check.
  const readState = new Map(context.readState);
  readState.get = (path) => {
    queueMicrotask(() => writeFileSync(file_path, "rival\n"));
    return context.readState.get(path);
  };
  const result = await editTool.run(
    { file_path, old_string: "one", new_string: "two", replace_all: false },
    { ...context, readState },
  );
  expect([result.isError, readFileSync(file_path, "utf8")]).toEqual([true, "rival\n"]);
});

test("an edit must match one place, unless it replaces all", async () => {
  const { call, write } = toolWorld();
  const file_path = write("a.txt", "x\nx\n");
  await call(readTool, { file_path });
  const reply = async (input: object) => (await call(editTool, { file_path, ...input })).content;
  expect(await reply({ old_string: "x", new_string: "y" })).toContain("Found 2 matches of the string to replace");
  expect(await reply({ old_string: "zz", new_string: "y" })).toContain(
    "String to replace not found in file.\nString: zz",
  );
  expect(await reply({ old_string: "x", new_string: "x" })).toContain("No changes to make");
  expect(await reply({ old_string: "", new_string: "x" })).toContain("Cannot create new file");
  expect(await call(editTool, { file_path, old_string: "x", new_string: "$&y", replace_all: true })).toMatchObject({
    content: `The file ${file_path} has been updated. All occurrences were successfully replaced. (file state is current in your context — no need to Read it back)`,
    response: { structuredPatch: [{ lines: ["-x", "-x", "+$&y", "+$&y"] }] },
  });
  expect(readFileSync(file_path, "utf8")).toBe("$&y\n$&y\n");
});

test("line breaks, byte order mark and mode stay as they were", async () => {
  const { call, write } = toolWorld();
  const file_path = write("a.sh", "\uFEFFone\r\ntwo\r\n");
  chmodSync(file_path, 0o751);
  await call(readTool, { file_path });
  await call(editTool, { file_path, old_string: "one\ntwo", new_string: "1\n2\n3" });
  expect(readFileSync(file_path, "utf8")).toBe("\uFEFF1\r\n2\r\n3\r\n");
  expect(statSync(file_path).mode & 0o777).toBe(0o751);
});

test("in a file with line breaks of both kinds an edit finds its lines", async () => {
  const { call, write } = toolWorld();
  const file_path = write("a.txt", "one\r\ntwo\nthree\r\nfour\r\n");
  await call(readTool, { file_path });
  await call(editTool, { file_path, old_string: "three\nfour", new_string: "3\n4" });
  expect(readFileSync(file_path, "utf8")).toBe("one\r\ntwo\n3\r\n4\r\n");
});

test("a file that is not UTF-8 is not edited", async () => {
  const { call, write } = toolWorld();
  const file_path = write("a.txt", Buffer.from([0x61, 0xff, 0x0a]));
  await call(readTool, { file_path });
  expect(await call(editTool, { file_path, old_string: "a", new_string: "b" })).toMatchObject({ isError: true });
  expect([...readFileSync(file_path)]).toEqual([0x61, 0xff, 0x0a]);
});

test("nothing is written through a link, and a link on the way counts as what it leads to", async () => {
  const { call, write, project, context } = toolWorld();
  const target = write("real/a.txt", "one\n");
  symlinkSync(target, join(project, "link.txt"));
  symlinkSync(join(project, "real"), join(project, "dir"));
  const link = join(project, "link.txt");
  expect(await call(readTool, { file_path: link })).toMatchObject({ content: "1\tone\n2\t" });
  const refusal = `<tool_use_error>Refusing to write through symlink: ${link}. Resolve the symlink and pass the real target path explicitly.</tool_use_error>`;
  expect(await call(editTool, { file_path: link, old_string: "one", new_string: "x" })).toMatchObject({
    content: refusal,
  });
  expect(await call(writeTool, { file_path: link, content: "x" })).toMatchObject({ content: refusal });
  symlinkSync(join(project, "nowhere"), join(project, "dangling"));
  expect(await call(writeTool, { file_path: join(project, "dangling"), content: "x" })).toMatchObject({
    isError: true,
  });
  expect(existsSync(join(project, "nowhere"))).toBe(false);
  await call(editTool, { file_path: join(project, "dir/a.txt"), old_string: "one", new_string: "two" });
  expect([readFileSync(target, "utf8"), context.readState.get(target)?.by]).toEqual(["two\n", "writing"]);
});

test("a folder that became a link after the judgment is not followed", async () => {
  const { context, write, project, root } = toolWorld();
  const file_path = write("sub/a.txt", "one\n");
  mkdirSync(join(root, "elsewhere"));
  writeFileSync(join(root, "elsewhere/a.txt"), "secret\n");
  const judgedPaths = new Map([[file_path, file_path]]);
  renameSync(join(project, "sub"), join(project, "was"));
  symlinkSync(join(root, "elsewhere"), join(project, "sub"));
  const lent = { ...context, judgedPaths };
  expect(await readTool.run({ file_path }, lent)).toMatchObject({ isError: true });
  const fresh = join(project, "sub/new.txt");
  const wrote = await writeTool.run(
    { file_path: fresh, content: "x" },
    { ...lent, judgedPaths: new Map([[fresh, fresh]]) },
  );
  expect(wrote).toMatchObject({ isError: true });
  expect(existsSync(join(root, "elsewhere/new.txt"))).toBe(false);
});

test("a new file gets its folders, and a file that appears meanwhile is not overwritten", async () => {
  const { call, project, context } = toolWorld();
  const file_path = join(project, "a/b/c.txt");
  expect(await call(writeTool, { file_path, content: "new" })).toMatchObject({
    response: { type: "create", originalFile: null },
  });
  rmSync(file_path);
  const result = await writeTool.run(
    { file_path, content: "mine" },
    {
      ...context,
      cwd: () => {
        // Asked for the words about a missing file, just before the writing.
        writeFileSync(file_path, "theirs");
        return project;
      },
    },
  );
  expect([result.isError, readFileSync(file_path, "utf8")]).toEqual([true, "theirs"]);
  const below = join(file_path, "x");
  expect(await call(writeTool, { file_path: below, content: "x" })).toMatchObject({
    isError: true,
    content: expect.stringContaining("ENOTDIR"),
  });
});

test("every file that was read or written brings its instructions in", async () => {
  const { call, write, notes, project } = toolWorld();
  const file_path = write("sub/a.txt", "one\n");
  await call(readTool, { file_path });
  await call(editTool, { file_path, old_string: "one", new_string: "two" });
  await call(writeTool, { file_path: join(project, "new.txt"), content: "" });
  expect(notes).toEqual([`touched ${file_path}`, `touched ${file_path}`, `touched ${join(project, "new.txt")}`]);
});

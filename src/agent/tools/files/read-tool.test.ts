import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { recorded } from "../fixtures/recorded.ts";
import { shapeOf, toolWorld } from "../fixtures/world.ts";
import { editTool } from "./edit-tool.ts";
import { readTool } from "./read-tool.ts";
import { writeTool } from "./write-tool.ts";

test("responses of Read, Write and Edit have the recorded keys and kinds, in the recorded order", async () => {
  const { call, write, project } = toolWorld();
  write("a.txt", "hello\n");
  for (const tool of [readTool, writeTool, editTool]) {
    const [payload] = recorded("PostToolUse", tool.name);
    const input = JSON.parse(JSON.stringify(payload?.["tool_input"]).replaceAll("/home/dev/project", project));
    const result = await call(tool, input);
    const response = "response" in result ? result.response : result.content;
    const expected = JSON.parse(JSON.stringify(payload?.["tool_response"]).replaceAll("/home/dev/project", project));
    expect(response).toEqual(expected);
    expect(JSON.stringify(shapeOf(response))).toBe(JSON.stringify(shapeOf(expected)));
  }
});

test("a text is shown with its line numbers, or the lines that were asked for", async () => {
  const { call, write } = toolWorld();
  const file_path = write("a.txt", "one\r\ntwo\r\nthree\r\n");
  expect(await call(readTool, { file_path })).toMatchObject({ content: "1\tone\n2\ttwo\n3\tthree\n4\t" });
  expect(await call(readTool, { file_path, offset: 2, limit: 1 })).toEqual({
    isError: false,
    content: "2\ttwo",
    response: { type: "text", file: { filePath: file_path, content: "two", numLines: 1, startLine: 2, totalLines: 4 } },
  });
  expect(await call(readTool, { file_path, offset: 100 })).toMatchObject({
    content:
      "<system-reminder>Warning: the file exists but is shorter than the provided offset (100). The file has 4 lines.</system-reminder>",
  });
});

test("what was shown already and has not changed is not shown again", async () => {
  const { call, write } = toolWorld();
  const file_path = write("a.txt", "one\n");
  await call(readTool, { file_path });
  expect(await call(readTool, { file_path })).toMatchObject({
    response: { type: "file_unchanged", file: { filePath: file_path } },
  });
  write("a.txt", "two\n");
  expect(await call(readTool, { file_path })).toMatchObject({ content: "1\ttwo\n2\t" });
});

test("a picture is a block, by its content and not by its name", async () => {
  const { call, write } = toolWorld();
  const base64 =
    "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFElEQVR4nGM4QSJgGNUwqmH4agAA+NpYH65gHiQAAAAASUVORK5CYII=";
  const file_path = write("a.txt", Buffer.from(base64, "base64"));
  expect(await call(readTool, { file_path })).toEqual({
    isError: false,
    content: [{ type: "image", source: { type: "base64", data: base64, media_type: "image/png" } }],
    response: {
      type: "image",
      file: {
        base64,
        type: "image/png",
        originalSize: 77,
        dimensions: { originalWidth: 16, originalHeight: 16, displayWidth: 16, displayHeight: 16 },
      },
    },
  });
});

test("what cannot be read is an error with the text of Claude Code", async () => {
  const { call, write, project } = toolWorld();
  const [missing] = recorded("PostToolUseFailure", "Read");
  const said = async (file_path: string) => (await call(readTool, { file_path })).content;
  expect(await said("/nonexistent/file.txt")).toBe(String(missing?.["error"]).replace("/home/dev/project", project));
  expect(await said(project)).toBe(`EISDIR: illegal operation on a directory, read '${project}'`);
  expect(await said(write("b.dat", "\0\u0001"))).toMatch(/^This tool cannot read binary files. .* binary \.dat file/);
  expect(await said(write("big.txt", "x".repeat(300_000)))).toMatch(
    /^File content \(293KB\) exceeds maximum allowed size \(256KB\)/,
  );
  expect(await said("/dev/zero")).toBe(
    "<tool_use_error>Cannot read '/dev/zero': this device file would block or produce infinite output.</tool_use_error>",
  );
  expect(await said("/dev/ptmx")).toContain("this device file would block");
  execFileSync("mkfifo", [join(project, "pipe")]);
  expect(await said(join(project, "pipe"))).toContain("this device file would block");
  expect(await said("a\0b")).toContain("NUL");
});

test("some lines of a file of any size can be read", async () => {
  const { call, write } = toolWorld();
  const file_path = write("big.txt", Array.from({ length: 200_000 }, (_, n) => `line ${n + 1}`).join("\n"));
  const result = await call(readTool, { file_path, offset: 150_000, limit: 2 });
  expect(result).toMatchObject({
    content: "150000\tline 150000\n150001\tline 150001",
    response: { file: { numLines: 2, totalLines: 200_000 } },
  });
});

test("relative paths and those of the home are made absolute before anybody sees them", async () => {
  const { call, write, home } = toolWorld();
  write("sub/a.txt", "x");
  writeFileSync(join(home, "h.txt"), "y");
  expect(await call(readTool, { file_path: "sub/a.txt" })).toMatchObject({ content: "1\tx" });
  expect(await call(readTool, { file_path: "~/h.txt" })).toMatchObject({
    response: { file: { filePath: join(home, "h.txt") } },
  });
});

import { realpath } from "node:fs/promises";
import { unless } from "../../files/index.ts";
import { ownIssue } from "../tools/check-input.ts";
import { withAbsolute } from "../tools/paths.ts";
import { type CurrentWorktree, type Tool, type ToolContext, toolError, toolSuccess } from "../tools/tool.ts";
import { isWorktreeOf, listWorktrees, mainCopy } from "./git.ts";
import { type MadeWorktree, makeWorktree } from "./make.ts";
import { nameFault } from "./name.ts";

export const enterWorktreeTool: Tool = {
  name: "EnterWorktree",
  description:
    "Makes an isolated working copy of the repository and moves the session into it, or moves into one that exists. Only when the person asked for a worktree.",
  readOnly: false,
  inputSchema: {
    type: "object",
    properties: {
      name: { type: "string", description: "A name for the new worktree; made up when left out" },
      path: { type: "string", description: "An existing worktree of this repository to go into instead" },
    },
    additionalProperties: false,
  },
  responseSchema: {
    type: "object",
    required: ["worktreePath", "message"],
    properties: {
      worktreePath: { type: "string" },
      worktreeBranch: { type: "string" },
      message: { type: "string" },
    },
  },
  render: (response) => (response as { message: string }).message,
  expand: (input, context) => withAbsolute(input, "path", context),
  refuse({ name, path }, { worktrees }) {
    if (name !== undefined && path !== undefined) return ownIssue("path", "name and path exclude each other");
    const fault = typeof name === "string" ? nameFault(name) : undefined;
    if (fault !== undefined) return ownIssue("name", fault);
    if (path !== undefined || worktrees.current() === undefined) return undefined;
    return "Already in a worktree session. Pass `path` to switch into another existing worktree, or use ExitWorktree to leave this one before creating a new worktree.";
  },
  async run({ name, path }, context) {
    const found =
      typeof path === "string"
        ? await existing(path, context)
        : await makeWorktree({
            name: typeof name === "string" ? name : `worktree-${context.newId()}`,
            cwd: context.cwd(),
            env: context.env,
            signal: context.signal,
            port: context.worktrees,
          });
    if ("error" in found) return toolError(found.error);
    await goInto(found.made, context);
    const { path: worktreePath, branch, existing: entered } = found.made;
    const on = branch === undefined ? "" : ` on branch ${branch}`;
    return toolSuccess(enterWorktreeTool, {
      worktreePath,
      ...(branch === undefined ? {} : { worktreeBranch: branch }),
      message: `${entered ? "Entered" : "Created"} worktree at ${worktreePath}${on}. The session is now working in the worktree. Use ExitWorktree to leave mid-session, or exit the session to be prompted.`,
    });
  },
};

/** The session is in the worktree from here on; from another one it keeps the way back to where it first came from. */
async function goInto(made: CurrentWorktree, { worktrees, moveTo }: ToolContext): Promise<void> {
  await worktrees.enter({ ...made, originalCwd: worktrees.current()?.originalCwd ?? made.originalCwd });
  await moveTo(made.path);
}

async function existing(given: string, { cwd, env, signal }: ToolContext): Promise<MadeWorktree> {
  const place = { cwd: cwd(), env, signal };
  const root = await mainCopy(place);
  if (root === undefined) {
    return { error: "Cannot enter an existing worktree: the current directory is not in a git repository." };
  }
  const real = await unless(["ENOENT", "ENOTDIR"], realpath(given));
  const listed = (await listWorktrees(place)).find(({ path }) => path === real && path !== root);
  if (listed === undefined || !(await isWorktreeOf(root, listed.path, { env, signal })))
    return { error: `${given} is not a worktree of this repository; see \`git worktree list\`.` };
  const { path, branch } = listed;
  const name = path.slice(path.lastIndexOf("/") + 1);
  return {
    made: {
      name,
      path,
      originalCwd: cwd(),
      hookBased: false,
      existing: true,
      ...(branch === undefined ? {} : { branch }),
    },
  };
}

import { realpath } from "node:fs/promises";
import { ignoringErrors } from "../../files/internal.ts";
import { inputIssue } from "../tools/check-tool-input.ts";
import {
  type CurrentWorktree,
  type Tool,
  type ToolContext,
  type ToolResult,
  toolError,
  toolSuccess,
} from "../tools/tool.ts";
import { makeAbsolute } from "../tools/tool-paths.ts";
import {
  type CreateWorktreeResult,
  createWorktree,
  isWorktreeOf,
  listWorktrees,
  mainWorktree,
  removeWorktree,
  unsavedIn,
  unsavedText,
  worktreeNameFault,
} from "./git-worktree.ts";

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
  expand: (input, context) => makeAbsolute(input, "path", context),
  refuse({ name, path }, { worktrees }) {
    if (name !== undefined && path !== undefined) return inputIssue("path", "name and path exclude each other");
    const fault = typeof name === "string" ? worktreeNameFault(name) : undefined;
    if (fault !== undefined) return inputIssue("name", fault);
    if (path !== undefined || worktrees.current() === undefined) return undefined;
    return "Already in a worktree session. Pass `path` to switch into another existing worktree, or use ExitWorktree to leave this one before creating a new worktree.";
  },
  async run({ name, path }, context) {
    const found =
      typeof path === "string"
        ? await existing(path, context)
        : await createWorktree({
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

async function existing(given: string, { cwd, env, signal }: ToolContext): Promise<CreateWorktreeResult> {
  const place = { cwd: cwd(), env, signal };
  const root = await mainWorktree(place);
  if (root === undefined) {
    return { error: "Cannot enter an existing worktree: the current directory is not in a git repository." };
  }
  const real = await ignoringErrors(["ENOENT", "ENOTDIR"], realpath(given));
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

const nothingToLeave =
  "No-op: there is no active EnterWorktree session to exit. This tool only operates on worktrees created by EnterWorktree in the current session — it will not touch worktrees created manually or in a previous session. No filesystem changes were made.";

export const exitWorktreeTool: Tool = {
  name: "ExitWorktree",
  description: "Leaves the worktree that the session is in, keeping it on disk or removing it with its branch.",
  readOnly: false,
  inputSchema: {
    type: "object",
    properties: {
      action: { enum: ["keep", "remove"], type: "string", description: "Whether the worktree stays on disk" },
      discard_changes: { type: "boolean", description: "Remove it even if work in it is then lost" },
    },
    required: ["action"],
    additionalProperties: false,
  },
  responseSchema: {
    type: "object",
    required: ["action", "originalCwd", "worktreePath", "message"],
    properties: {
      action: { enum: ["keep", "remove"] },
      originalCwd: { type: "string" },
      worktreePath: { type: "string" },
      worktreeBranch: { type: "string" },
      discardedFiles: { type: "number" },
      discardedCommits: { type: "number" },
      message: { type: "string" },
    },
  },
  render: (response) => (response as { message: string }).message,
  async refuse({ action, discard_changes }, context) {
    const worktree = context.worktrees.current();
    if (worktree === undefined) return nothingToLeave;
    if (action === "keep") return undefined;
    if (worktree.existing) {
      return `This session entered an existing worktree (${worktree.path}); it was not created by EnterWorktree, so this tool will not remove it. Use action: "keep" to return to ${worktree.originalCwd}, then remove the worktree manually with \`git worktree remove\` if desired.`;
    }
    const lost = discard_changes === true ? "" : unsavedText(await unsavedIn(worktree, context), worktree.branch);
    if (lost === "") return undefined;
    return `Worktree has ${lost}. Removing will discard this work permanently. Confirm with the user, then re-invoke with discard_changes: true — or use action: "keep" to preserve the worktree.`;
  },
  run({ action }, context) {
    const worktree = context.worktrees.current();
    if (worktree === undefined) return Promise.resolve(toolError(nothingToLeave));
    return action === "keep" ? keep(worktree, context) : remove(worktree, context);
  },
};

async function keep(worktree: CurrentWorktree, context: ToolContext): Promise<ToolResult> {
  await goBack(worktree, context);
  const on = worktree.branch === undefined ? "" : ` on branch ${worktree.branch}`;
  return toolSuccess(exitWorktreeTool, {
    ...facts("keep", worktree),
    message: `Exited worktree. Your work is preserved at ${worktree.path}${on}. Session is now back in ${worktree.originalCwd}.`,
  });
}

async function remove(worktree: CurrentWorktree, context: ToolContext): Promise<ToolResult> {
  const { files, commits } = await unsavedIn(worktree, context);
  const { left } = await removeWorktree(worktree, context.worktrees, context);
  await goBack(worktree, context);
  const lost = unsavedText({ files, commits });
  return toolSuccess(exitWorktreeTool, {
    ...facts("remove", worktree),
    discardedFiles: files,
    discardedCommits: commits,
    message:
      left === undefined
        ? `Exited and removed worktree at ${worktree.path}.${lost === "" ? "" : ` Discarded ${lost}.`}`
        : `Exited worktree. ${worktree.path} is still there: ${left}.`,
  });
}

async function goBack({ originalCwd }: CurrentWorktree, { worktrees, moveTo }: ToolContext): Promise<void> {
  await worktrees.enter(undefined);
  await moveTo(originalCwd);
}

function facts(action: string, { originalCwd, path, branch }: CurrentWorktree): Record<string, string> {
  return {
    action,
    originalCwd,
    worktreePath: path,
    ...(branch === undefined ? {} : { worktreeBranch: branch }),
  };
}

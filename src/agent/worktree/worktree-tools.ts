import { realpath } from "node:fs/promises";
import { ignoringErrors } from "../../files/internal.ts";
import { defined } from "../../protocol/internal.ts";
import { inputIssue } from "../tools/check-tool-input.ts";
import { inputSchema, objectSchema, plain } from "../tools/json-schema.ts";
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
  findWorktree,
  type GitContext,
  mainWorktree,
  removeWorktree,
  unsavedIn,
  unsavedText,
  worktreeNameFault,
} from "./git-worktree.ts";

export const enterWorktreeTool: Tool = {
  name: "EnterWorktree",
  description:
    "Creates an isolated working copy of the repository and moves the session into it, or moves into an existing one. Only when the user asked for a worktree.",
  readOnly: false,
  inputSchema: inputSchema(
    {},
    {
      name: { type: "string", description: "A name for the new worktree. Default: a generated one" },
      path: { type: "string", description: "An existing worktree of this repository to enter instead" },
    },
  ),
  responseSchema: objectSchema({ worktreePath: plain.string, message: plain.string }, { worktreeBranch: plain.string }),
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
    const { env, signal, worktrees: port } = context;
    const place = { cwd: context.cwd(), env, signal };
    const newName = typeof name === "string" ? name : `worktree-${context.newId()}`;
    const found =
      typeof path === "string" ? await existingWorktree(path, place) : await createWorktree(newName, port, place);
    if ("error" in found) return toolError(found.error);
    const { path: worktreePath, branch, existing: entered, originalCwd } = found;
    // From one worktree to another, the session keeps the folder that it first came from.
    await port.enter({ ...found, originalCwd: port.current()?.originalCwd ?? originalCwd });
    await context.moveTo(worktreePath);
    const on = branch === undefined ? "" : ` on branch ${branch}`;
    return toolSuccess({
      worktreePath,
      ...defined({ worktreeBranch: branch }),
      message: `${entered ? "Entered" : "Created"} worktree at ${worktreePath}${on}. The session is now working in the worktree. Use ExitWorktree to leave mid-session, or exit the session to be prompted.`,
    });
  },
};

async function existingWorktree(given: string, place: GitContext): Promise<CreateWorktreeResult> {
  if ((await mainWorktree(place)) === undefined)
    return { error: "Cannot enter an existing worktree: the current directory is not in a git repository." };
  const real = await ignoringErrors(["ENOENT", "ENOTDIR"], realpath(given));
  const found = await findWorktree((folder) => folder === real, place);
  return found ?? { error: `${given} is not a worktree of this repository; see \`git worktree list\`.` };
}

const nothingToLeave =
  "No-op: there is no active EnterWorktree session to exit. This tool only operates on worktrees created by EnterWorktree in the current session — it will not touch worktrees created manually or in a previous session. No filesystem changes were made.";

export const exitWorktreeTool: Tool = {
  name: "ExitWorktree",
  description: "Leaves the worktree that the session is in, keeping it on disk or removing it with its branch.",
  readOnly: false,
  inputSchema: inputSchema(
    { action: { enum: ["keep", "remove"], type: "string", description: "Whether the worktree stays on disk" } },
    { discard_changes: { type: "boolean", description: "Remove it even if work in it is then lost" } },
  ),
  responseSchema: objectSchema(
    {
      action: { enum: ["keep", "remove"] },
      ...{ originalCwd: plain.string, worktreePath: plain.string, message: plain.string },
    },
    { worktreeBranch: plain.string, discardedFiles: plain.number, discardedCommits: plain.number },
  ),
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
  const { path, branch, originalCwd } = worktree;
  await leave(worktree, context);
  const on = branch === undefined ? "" : ` on branch ${branch}`;
  const message = `Exited worktree. Your work is preserved at ${path}${on}. Session is now back in ${originalCwd}.`;
  return toolSuccess({ ...exitFields("keep", worktree), message });
}

async function remove(worktree: CurrentWorktree, context: ToolContext): Promise<ToolResult> {
  const { files, commits } = await unsavedIn(worktree, context);
  const { left } = await removeWorktree(worktree, context.worktrees, context);
  await leave(worktree, context);
  const lost = unsavedText({ files, commits });
  const discarded = lost === "" ? "" : ` Discarded ${lost}.`;
  const message =
    left === undefined
      ? `Exited and removed worktree at ${worktree.path}.${discarded}`
      : `Exited worktree. ${worktree.path} is still there: ${left}.`;
  const fields = { ...exitFields("remove", worktree), discardedFiles: files, discardedCommits: commits };
  return toolSuccess({ ...fields, message });
}

async function leave({ originalCwd }: CurrentWorktree, { worktrees, moveTo }: ToolContext): Promise<void> {
  await worktrees.enter(undefined);
  await moveTo(originalCwd);
}

function exitFields(action: string, { originalCwd, path, branch }: CurrentWorktree) {
  return { action, originalCwd, worktreePath: path, ...defined({ worktreeBranch: branch }) };
}

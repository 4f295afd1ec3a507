import {
  type CurrentWorktree,
  type Tool,
  type ToolContext,
  type ToolResult,
  toolError,
  toolSuccess,
} from "../tools/tool.ts";
import { removeWorktree, unsavedIn, unsavedText } from "./leave.ts";

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

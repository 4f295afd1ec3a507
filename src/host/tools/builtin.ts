import { enterWorktreeTool } from "../worktree/enter-worktree.ts";
import { exitWorktreeTool } from "../worktree/exit-worktree.ts";
import { bashTool } from "./bash.ts";
import { editTool } from "./edit.ts";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";
import { readTool } from "./read.ts";
import { taskCreateTool } from "./tasks/task-create.ts";
import { taskGetTool, taskListTool } from "./tasks/task-list.ts";
import { taskUpdateTool } from "./tasks/task-update.ts";
import type { Tool } from "./tool.ts";
import { webFetchTool } from "./web/web-fetch.ts";
import type { WebFetchOptions } from "./web-options.ts";
import { writeTool } from "./write.ts";

export interface BuiltinOptions {
  /** WebFetch is offered only with this. */
  readonly webFetch?: WebFetchOptions;
}

/** The agent's own tools, but for those that start agents and those of servers. Made once for a session. */
export function builtinTools({ webFetch }: BuiltinOptions = {}): readonly Tool[] {
  return [
    bashTool(),
    readTool,
    writeTool,
    editTool,
    globTool,
    grepTool,
    taskCreateTool,
    taskUpdateTool,
    taskListTool,
    taskGetTool,
    enterWorktreeTool,
    exitWorktreeTool,
    ...(webFetch === undefined ? [] : [webFetchTool(webFetch)]),
  ];
}

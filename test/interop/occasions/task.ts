import type { Occasion, SeenRun } from "../occasion.ts";
import { modelTexts, toolResults, userTexts } from "../texts.ts";

const create = { tool: "TaskCreate", input: { subject: "a task", description: "what to do" } };
const complete = { tool: "TaskUpdate", input: { taskId: "1", status: "completed" } };

export const taskCreated: Occasion = {
  drive: () => ({ prompt: "Go.", script: { main: [create, "Done."] } }),
  seen: (run) => seenTask(run, "TaskCreated"),
  async carriedOut({ fire }) {
    const { blocked, reason, systemMessages } = await fire();
    return { went: !blocked, reason: blocked ? reason : undefined, model: [reason ?? ""], user: systemMessages };
  },
};

export const taskCompleted: Occasion = {
  ...taskCreated,
  drive: () => ({ prompt: "Go.", script: { main: [create, complete, "Done."] } }),
  seen: (run) => seenTask(run, "TaskCompleted"),
};

function seenTask(run: SeenRun, event: string): ReturnType<Occasion["seen"]> {
  const last = toolResults(run).at(-1)?.text ?? "";
  const feedback = `${event} hook feedback:\n`;
  const refused = last.startsWith(feedback);
  return {
    went: !refused,
    reason: refused ? last.slice(feedback.length) : undefined,
    model: modelTexts(run),
    user: userTexts(run),
  };
}

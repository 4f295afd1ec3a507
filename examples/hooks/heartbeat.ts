// Keeps a small file up to date with what the agent did last, for a dashboard or a watchdog to look at.
// app.include(heartbeat({ file: ".claude/heartbeat.json" }));
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type Blueprint, blueprint } from "hookline/sdk";

export interface HeartbeatOptions {
  /** Counted from the project. */
  readonly file?: string;
}

export function heartbeat(given: HeartbeatOptions = {}): Blueprint {
  const part = blueprint("heartbeat", given, { file: "string" });
  const { file = ".claude/heartbeat.json" } = given;
  const when = (_: unknown, { replay }: { replay: boolean }) => !replay;
  const options = { name: "heartbeat", onFailure: "continue", when } as const;
  const beat = (
    event: { name: string; sessionId?: string; toolName?: string },
    { projectDir }: { projectDir: string },
  ) => {
    const { name, sessionId: session, toolName: tool } = event;
    const path = resolve(projectDir, file);
    if (!existsSync(projectDir)) return;
    mkdirSync(dirname(path), { recursive: true });
    // By rename: a reader never sees half of it.
    writeFileSync(
      `${path}.${process.pid}`,
      `${JSON.stringify({ at: new Date().toISOString(), event: name, session, tool })}\n`,
    );
    renameSync(`${path}.${process.pid}`, path);
  };
  part.preTool(options, (event, ctx) => beat(event, ctx));
  part.postTool(options, (event, ctx) => beat(event, ctx));
  part.postToolFailure(options, (event, ctx) => beat(event, ctx));
  part.onPrompt(options, (event, ctx) => beat(event, ctx));
  part.onStop(options, (event, ctx) => beat(event, ctx));
  return part;
}

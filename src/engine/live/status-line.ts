import type { RunningProcess } from "../../exec/internal.ts";
import type { Warning } from "../../protocol/internal.ts";
import type { ResolvedOptions } from "../options.ts";
import { hookEnvironment } from "../runners/command/command-env.ts";
import { keepColors } from "../safe-text/display-text.ts";
import { startTrust, waitForStableFiles } from "../trust/start-trust.ts";
import { disabledBy, type EffectiveSettings } from "./effective-settings.ts";

export type StatusLine = ReturnType<typeof statusLine>;

const minIntervalMs = 300;
const timeoutMs = 5_000;

/** Contract: the newest call wins, and runs start at least 300 ms apart. A failure keeps the last lines and is reported once. */
export function statusLine(warn: (warning: Warning) => void) {
  let lines: readonly string[] = [];
  let newestCall = 0;
  let lastStart = Number.NEGATIVE_INFINITY;
  let running: RunningProcess | undefined;
  let hasReportedFailure = false;

  function reportFailure(why: string): void {
    if (hasReportedFailure) return;
    const message = `The status line command failed: ${why}. The last lines are kept.`;
    warn({ code: "status-line-failed", message });
    hasReportedFailure = true;
  }

  return {
    async run(input: unknown, call: ReturnType<typeof statusLineCall>): Promise<readonly string[]> {
      const thisCall = ++newestCall;
      const isOutdated = () => thisCall !== newestCall;
      running?.cancel();
      if (call === undefined) return [];
      const { command, mayStart, cwd, env } = call;
      const waitMs = lastStart + minIntervalMs - performance.now();
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      if (isOutdated()) return lines;
      lastStart = performance.now();
      const { startProcess } = await import("../../exec/internal.ts");
      if (isOutdated()) return lines;
      if (!(await mayStart())) return [];
      if (isOutdated()) return lines;
      running = startProcess({ form: "shell", command }, { cwd, env, input: `${JSON.stringify(input)}\n`, timeoutMs });
      const { ended, stdout, stderr } = await running.done;
      if (isOutdated()) return lines;
      if (ended.by !== "exit" || ended.code !== 0) {
        reportFailure(ended.by === "exit" ? `exit ${ended.code} ${stderr.text.trim()}`.trim() : ended.by);
        return lines;
      }
      hasReportedFailure = false;
      lines = keepColors(stdout.text).replace(/\n+$/, "").split("\n");
      return lines;
    },
    /** Resolves when the running process has exited. */
    async close(): Promise<void> {
      newestCall++;
      running?.cancel();
      await running?.done;
    },
  };
}

/**
 * The status line command of the settings and its environment; undefined when none is set or when it is switched off. Trust and policy
 * apply to it as to any hook.
 */
export function statusLineCall(settings: EffectiveSettings, options: ResolvedOptions) {
  const { statusLine, merged, trust } = settings;
  if (statusLine === undefined) return undefined;
  const { layer, setting } = statusLine;
  const isManaged = layer.kind === "managed";
  if (disabledBy(layer, isManaged, settings) || (merged.managedOnly && !isManaged)) return undefined;
  return {
    command: setting.command,
    /** Called immediately before the start, since files that the command names may have changed. */
    mayStart: async (): Promise<boolean> => {
      const { why } = await waitForStableFiles(() => startTrust(trust.ofKey(layer, "statusLine")));
      return why === "";
    },
    cwd: options.cwd,
    env: hookEnvironment(statusLine, { settings, services: { options } }),
  };
}

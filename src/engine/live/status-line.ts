import type { RunningProcess } from "../../exec/internal.ts";
import type { Warning } from "../../protocol/internal.ts";
import type { ResolvedOptions } from "../options.ts";
import { type Environment, inheritedEnvironment } from "../runners/command/command-env.ts";
import { keepColors } from "../safe-text/display-text.ts";
import type { EffectiveSettings } from "../settings/snapshot.ts";
import { startTrust, waitForStableFiles } from "../trust/start-trust.ts";
import { isOfCheckout } from "../trust/trust-state.ts";

export interface StatusLineCall {
  /** The command in force, or why there is none. */
  readonly command: string | undefined;
  /** Asked immediately before the start: the command may name files that have changed. */
  mayStart(): Promise<boolean>;
  readonly cwd: string;
  readonly env: Environment;
}

/** Contract: the newest call wins, at most one run per 300 ms; a failure keeps the last lines and is reported once. */
export interface StatusLine {
  run(input: unknown, call: StatusLineCall): Promise<readonly string[]>;
  /** Resolves when its process has exited. */
  close(): Promise<void>;
}

const pauseMs = 300;
const limitMs = 5_000;

export function statusLine(warn: (warning: Warning) => void): StatusLine {
  let lines: readonly string[] = [];
  let newest = 0;
  let lastStart = Number.NEGATIVE_INFINITY;
  let running: RunningProcess | undefined;
  let told = false;

  function fail(why: string): void {
    if (!told)
      warn({ code: "status-line-failed", message: `The status line command failed: ${why}. The last lines stay.` });
    told = true;
  }

  return {
    async run(input, { command, mayStart, cwd, env }) {
      const mine = ++newest;
      running?.cancel();
      if (command === undefined) return [];
      await pause(lastStart + pauseMs - performance.now());
      if (mine !== newest) return lines;
      lastStart = performance.now();
      const { startProcess } = await import("../../exec/internal.ts");
      if (mine !== newest) return lines;
      if (!(await mayStart())) return [];
      if (mine !== newest) return lines;
      running = startProcess(
        { form: "shell", command },
        { cwd, env, input: `${JSON.stringify(input)}\n`, timeoutMs: limitMs },
      );
      const { ended, stdout, stderr } = await running.done;
      if (mine !== newest) return lines;
      if (ended.by !== "exit" || ended.code !== 0) {
        fail(ended.by === "exit" ? `exit ${ended.code} ${stderr.text.trim()}`.trim() : ended.by);
        return lines;
      }
      told = false;
      lines = keepColors(stdout.text).replace(/\n+$/, "").split("\n");
      return lines;
    },
    async close() {
      newest++;
      running?.cancel();
      await running?.done;
    },
  };
}

function pause(ms: number): Promise<void> {
  return ms <= 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, ms));
}

/** The status line in force and where it runs, or nothing: trust and policy count for it like for any hook. */
export function statusLineCall(now: EffectiveSettings, options: ResolvedOptions): StatusLineCall {
  const { statusLine, merged, trust } = now;
  const { disabled, managedOnly } = merged;
  const ofCheckout = statusLine !== undefined && isOfCheckout(statusLine.layer);
  const env: Environment = {
    ...inheritedEnvironment(options.env, options.stripEnv),
    ...(ofCheckout ? now.checkoutEnv : {}),
    ...merged.env,
  };
  const managed = statusLine?.layer.kind === "managed";
  const unmanaged = disabled.unmanaged ?? now.disabling ?? (ofCheckout ? disabled.checkout : undefined) ?? managedOnly;
  const off = disabled.everything ?? (managed ? undefined : unmanaged);
  return {
    command: off === undefined ? statusLine?.setting.command : undefined,
    mayStart: async () => {
      if (statusLine === undefined) return false;
      const { why } = await waitForStableFiles(() => startTrust(trust.ofKey(statusLine.layer, "statusLine")));
      return why === "";
    },
    cwd: options.cwd,
    env,
  };
}

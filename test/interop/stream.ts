/** The lines a headless client prints with `--output-format stream-json`, as far as tests look at them. */
export interface StreamLine {
  readonly type: string;
  readonly subtype?: string;
  readonly session_id?: string;
  readonly [field: string]: unknown;
}

export interface ResultLine extends StreamLine {
  readonly type: "result";
  readonly is_error: boolean;
  readonly result?: string;
  readonly num_turns: number;
  readonly stop_reason?: string | null;
  readonly terminal_reason?: string;
  readonly permission_denials?: readonly { readonly tool_name: string; readonly tool_input: object }[];
  readonly total_cost_usd?: number;
}

/** One run of one hook, put together from its `hook_started` and `hook_response` lines. */
export interface HookRun {
  readonly id: string;
  readonly name: string;
  readonly event: string;
  readonly exitCode?: number;
  /** Absent while the hook had not answered when Claude Code ended. */
  readonly outcome?: "success" | "error" | "cancelled";
  readonly stdout: string;
  readonly stderr: string;
}

export function linesOf(stdout: string): StreamLine[] {
  return stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as StreamLine);
}

export function resultsOf(lines: readonly StreamLine[]): ResultLine[] {
  return lines.filter((line): line is ResultLine => line.type === "result");
}

export function hookRunsOf(lines: readonly StreamLine[]): HookRun[] {
  const runs = new Map<string, HookRun>();
  for (const line of lines) {
    if (line.subtype !== "hook_started" && line.subtype !== "hook_response") continue;
    const id = String(line["hook_id"]);
    runs.set(id, {
      id,
      name: String(line["hook_name"]),
      event: String(line["hook_event"]),
      ...(line.subtype === "hook_response" ? answerOf(line) : { stdout: "", stderr: "" }),
    });
  }
  return [...runs.values()];
}

function answerOf(line: StreamLine): Pick<HookRun, "stdout" | "stderr" | "exitCode" | "outcome"> {
  const { exit_code: exitCode, outcome } = line as { exit_code?: number; outcome?: NonNullable<HookRun["outcome"]> };
  return {
    stdout: String(line["stdout"] ?? ""),
    stderr: String(line["stderr"] ?? ""),
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(outcome === undefined ? {} : { outcome }),
  };
}

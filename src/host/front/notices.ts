import { stripControl } from "../../protocol/index.ts";
import type { AgentEvent } from "../agent-event.ts";

/** What a person who reads stderr is told beside the answer; nothing a terminal would act on. */
export function noticeOf(event: AgentEvent): string | undefined {
  switch (event.kind) {
    case "notice":
      return `${stripControl(event.text)}\n`;
    case "warning":
      return `hookline: ${stripControl(event.warning.message)}\n`;
    case "retry": {
      const { attempt, tries, waitMs, error } = event.retry;
      const wait = `${(waitMs / 1000).toFixed(1)} s`;
      return `API error (${stripControl(error.message)}); try ${attempt} of ${tries} failed, next in ${wait}\n`;
    }
    default:
      return undefined;
  }
}

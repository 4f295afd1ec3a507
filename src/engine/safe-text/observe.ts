import type { Notice } from "../ports.ts";
import { tellHost } from "../tell-host.ts";
import { redactNotice } from "./redact-notices.ts";

export interface ObserveOptions {
  readonly observe: (notice: Notice) => void;
  readonly content: boolean;
  /** Values that must not be told, looked up when there is something to tell. */
  secrets(): readonly string[];
  /** What the observer throws is worth a word, and changes nothing. */
  onThrow(error: unknown): void;
}

/** Tells the host's observer, redacted. Contract: cannot delay or change an outcome. */
export function observer({ observe, content, secrets, onThrow }: ObserveOptions): (notice: Notice) => void {
  return (notice) => {
    tellHost(() => observe(redactNotice(notice, secrets(), { content })), onThrow);
  };
}

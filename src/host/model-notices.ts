import { endOfLifeNotice } from "../models/index.ts";
import type { Thread } from "./thread.ts";

/** Reports, once per session, a model near its end of life and an effort that the model does not have. */
export function noticeModel({ session, model }: Thread): void {
  const { clock, effort } = session.options;
  const notices = [
    endOfLifeNotice(model.name, clock.now()),
    effort !== undefined && model.port.defaultEffort?.(model.name) === undefined
      ? `The model ${model.name} has no effort levels; the effort ${effort} is not used.`
      : undefined,
  ];
  for (const text of notices) {
    if (text === undefined || session.notices.has(text)) continue;
    session.notices.add(text);
    session.tell({ kind: "notice", text, level: "warning" });
  }
}

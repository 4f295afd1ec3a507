import { endOfLifeNotice } from "../models/index.ts";
import { noticeOnce } from "./channels.ts";
import type { Thread } from "./thread.ts";

/** Reports, once per session, a model whose answers the budget cannot count, because its price is not known. */
export function noticeUnpriced({ session }: Thread): void {
  const { maxBudgetUsd } = session.options;
  if (maxBudgetUsd === undefined) return;
  for (const model of session.spending.unpriced)
    noticeOnce(session, `No price is known for ${model}: the budget of ${maxBudgetUsd} USD does not count its tokens.`);
}

/** Reports, once per session, a model near its end of life and an effort that the model does not have. */
export function noticeModel({ session, model }: Thread): void {
  const { clock, effort } = session.options;
  const notices = [
    endOfLifeNotice(model.name, clock.now()),
    effort !== undefined && model.port.defaultEffort?.(model.name) === undefined
      ? `The model ${model.name} has no effort levels; the effort ${effort} is not used.`
      : undefined,
  ];
  for (const text of notices) if (text !== undefined) noticeOnce(session, text);
}

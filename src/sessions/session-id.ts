import { Problem, plainLine } from "../protocol/index.ts";
import { checkText } from "./option-checks.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const plainName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const deviceName = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i;

/** True when an id may become part of a path: a UUID, or a short plain name that is no device and climbs nowhere. */
export function isSafeId(id: string): boolean {
  if (uuid.test(id)) return true;
  return plainName.test(id) && !id.includes("..") && !deviceName.test(id);
}

/** The id itself, or a `sessions/unsafe-id` problem before anything is touched. */
export function safeId(id: string): string {
  checkText("id", id);
  if (isSafeId(id)) return id;
  const shown = JSON.stringify(plainLine(id.length > 80 ? `${id.slice(0, 80)}…` : id));
  throw new Problem(
    "sessions/unsafe-id",
    `${shown} is not a session id. hookline sessions ls lists the ids there are.`,
    {
      about: { id },
    },
  );
}

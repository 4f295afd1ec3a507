import type { HomeSource } from "../../files/index.ts";

export function statuslineCosts(_source: HomeSource): (session: string) => number | undefined {
  return () => undefined;
}

import { loadApp } from "../../sdk/index.ts";
import type { Io } from "../command.ts";

/** The app of a hooks file, in the shape the test client takes. */
export async function loadExport(file: string, io: Io): Promise<unknown> {
  const inside = await loadApp(file, { env: io.env, cwd: io.cwd });
  return { [Symbol.for("hookline.app")]: inside };
}

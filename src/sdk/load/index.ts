import type { AppInside } from "../app-symbol.ts";
import type { LoadOptions } from "./load-app.ts";

export type { LoadOptions } from "./load-app.ts";

/** The app that a hooks file exports; what is wrong with the file is a `Problem`. Loaded on demand: a hook process has its app already. */
export async function loadApp(file: string, options: LoadOptions): Promise<AppInside> {
  return (await import("./load-app.ts")).loadApp(file, options);
}

/** The file and everything it imports from its own tree: what must be pinned for the hook to be what was approved. */
export async function appInputs(file: string): Promise<readonly string[]> {
  return (await import("./build.ts")).appInputs(file);
}

import { checkOrdinary } from "./ordinary-file.ts";

/** The file and everything it imports from its own tree: what must be pinned for the hook to be what was approved. */
export async function appInputs(file: string): Promise<readonly string[]> {
  checkOrdinary(file);
  return (await import("./build-app.ts")).appInputs(file);
}

/** Builds a TypeScript file and what it imports from its own tree, and gives the path of a file that Node can run. */
export async function buildFile(
  file: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<string> {
  checkOrdinary(file);
  const { fileURLToPath } = await import("node:url");
  return fileURLToPath(await (await import("./build-app.ts")).build(file, env));
}

/** The builder keeps a process of its own; whoever lives on after the last build ends it. */
export async function endBuilds(): Promise<void> {
  await (await import("./build-app.ts")).endBuilds();
}

/** Has a file built by a process of its own, for the starts to come. */
export async function buildLater(file: string, env: Readonly<Record<string, string | undefined>>): Promise<void> {
  await (await import("./build-later.ts")).buildLater(file, env);
}

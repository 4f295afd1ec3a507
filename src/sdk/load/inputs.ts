/** The file and everything it imports from its own tree: what must be pinned for the hook to be what was approved. */
export async function appInputs(file: string): Promise<readonly string[]> {
  return (await import("./build.ts")).appInputs(file);
}

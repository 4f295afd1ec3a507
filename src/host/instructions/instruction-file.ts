export type MemoryType = "User" | "Project" | "Local" | "Managed";

export type LoadReason = "session_start" | "nested_traversal" | "include" | "compact";

/** One file that entered the context, with the fields of InstructionsLoaded. */
export interface InstructionFile {
  readonly path: string;
  readonly type: MemoryType;
  readonly text: string;
  readonly reason: LoadReason;
  /** The file that includes it. */
  readonly parent?: string;
  /** The touched file that brought it in. */
  readonly trigger?: string;
}

/** The event's own fields, in the order in which the client sends them. */
export function loadedPayload({ path, type, reason, parent, trigger }: InstructionFile): Record<string, string> {
  return {
    file_path: path,
    memory_type: type,
    load_reason: reason,
    ...(trigger === undefined ? {} : { trigger_file_path: trigger }),
    ...(parent === undefined ? {} : { parent_file_path: parent }),
  };
}

const origins: Readonly<Record<MemoryType, string>> = {
  Managed: "instructions of whoever manages this machine",
  User: "the person's own instructions for all projects",
  Project: "project instructions, checked into the codebase",
  Local: "the person's own instructions for this project, not checked in",
};

/** What the model is given: each file under a line that says what it is. */
export function instructionsText(files: readonly InstructionFile[]): string {
  return files.map(({ path, type, text }) => `Contents of ${path} (${origins[type]}):\n\n${text.trim()}`).join("\n\n");
}

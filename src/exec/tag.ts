/** A variable in the environment of a process by which it and its children are found again. */
export interface Tag {
  readonly name: string;
  readonly value: string;
}

/** Whether a value found in an environment is this tag, or that of a run inside this run (`outer/inner`). */
export function carries(found: string | undefined, tag: Tag | undefined): boolean {
  if (found === undefined || tag === undefined) return false;
  return found === tag.value || found.startsWith(`${tag.value}/`);
}

/** The variable that marks everything a run of ours starts; nested runs are divided by `/`. */
export const runTag = "HOOKLINE_RUN";

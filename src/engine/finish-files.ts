/** What finishing an answer needs of the file system, loaded when the first answer needs it. */
export { shorten } from "./shorten.ts";
export { checkWorktree } from "./worktree.ts";

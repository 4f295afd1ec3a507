// A strategy: the agent may stop only when git has nothing left to commit. Once per turn it gets a list of the changes.
// app.include(cleanState({ ignore: [/^notes\//] }));
import { block, defineStrategy } from "hookline/sdk";

export interface CleanStateOptions {
  /** Paths that may stay as they are. */
  readonly ignore: readonly RegExp[];
  /** Whether files that git does not know yet count. */
  readonly untracked: boolean;
}

export const cleanState = defineStrategy<CleanStateOptions>({
  name: "clean-state",
  version: "1.0.0",
  description: "Nothing uncommitted is left behind.",
  hooks: ["Stop"],
  customEvents: ["dirty"],
  defaults: { ignore: [], untracked: true },
  options: { ignore: "RegExp[]", untracked: "boolean" },
  build(plan, { ignore, untracked }) {
    const when = ({ stopHookActive }: { stopHookActive: boolean }, { replay }: { replay: boolean }) =>
      !stopHookActive && !replay;
    plan.onStop({ name: "clean-state", when }, async (_event, { git, emit }) => {
      const open = (await git.status())
        .filter((line) => untracked || !line.startsWith("??"))
        .map((line) => line.slice(3))
        .filter((path) => !ignore.some((pattern) => pattern.test(path)));
      if (open.length === 0) return undefined;
      emit("dirty", { open });
      const shown = open.slice(0, 10).join(", ");
      const more = open.length > 10 ? ` and ${open.length - 10} more` : "";
      return block(`Commit or undo what is open before you stop: ${shown}${more}.`);
    });
  },
});

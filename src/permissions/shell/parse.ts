import { type ParsedScript, parse } from "unbash";
import { messageOf } from "../../protocol/index.ts";

/** The parser's tree, or why there is none. It tolerates errors; whoever walks the tree looks at each script's own list. */
export function parseShell(text: string): { script: ParsedScript } | { failed: string } {
  try {
    return { script: parse(text) };
  } catch (cause) {
    // Deep nesting overflows its stack; any other exception is as good a reason not to trust a tree.
    return { failed: messageOf(cause) };
  }
}

/** A fenced block of a chapter; `info` is the text after the fence, `at` where its text begins. */
export interface Block {
  readonly info: string;
  readonly text: string;
  readonly at: number;
}

export function blocksIn(chapter: string): readonly Block[] {
  return [...chapter.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map((match) => {
    const [whole = "", info = "", text = ""] = match;
    return { info, text, at: match.index + whole.indexOf("\n") + 1 };
  });
}

/** One command of a console block with what the chapter says it prints. */
export interface Command {
  readonly line: string;
  readonly prints: string;
}

/** `$ ` begins a command; a backslash at its end continues it; what follows is its output. */
export function commandsIn(text: string): readonly Command[] {
  return text.split(/^\$ /m).flatMap((part) => {
    const [, line = "", prints = ""] = /^((?:.*\\\n)*.*)\n([\s\S]*)$/.exec(part) ?? [];
    return line === "" ? [] : [{ line, prints }];
  });
}

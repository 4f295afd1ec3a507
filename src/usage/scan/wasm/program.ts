import { assemble } from "./assemble.ts";
import { fit, hash } from "./fit.ts";
import { fn } from "./layout.ts";
import { endsWell, find, findNewline, isResult, run } from "./lines.ts";
import { isSame, plainEnd, skipScalar, skipString, skipValue } from "./values.ts";

/**
 * The inner loops of the scanner: from a chunk of bytes to the few lines that matter. In JavaScript most of a run went into
 * compiling them and into bytes looked at one by one; here they run at full speed from the start, sixteen bytes at a time.
 *
 * Contract of all functions: positions go in and come out, -1 says "no". The byte at the end of a line is a control
 * character, so nothing runs past it, and there is room behind the last one to read on for a while.
 */
export function scanProgram(): Uint8Array<ArrayBuffer> {
  const functions = [
    isSame,
    skipString,
    plainEnd,
    skipScalar,
    skipValue,
    hash,
    fit,
    findNewline,
    endsWell,
    isResult,
    find,
    run,
  ];
  return assemble(functions, { find: fn.find, run: fn.run });
}

import { assemble } from "./assemble.ts";
import { find } from "./find.ts";
import { fit, hash } from "./fit.ts";
import { fn } from "./layout.ts";
import { endsWell, findNewline, isResult } from "./line-ends.ts";
import { run } from "./lines.ts";
import { isSame, plainEnd, skipString } from "./strings.ts";
import { skipScalar, skipValue } from "./values.ts";

/** Set by the build, which joins modules: then nothing has to be assembled. */
declare const HOOKLINE_SCAN_PROGRAM: string | undefined;

/**
 * The inner loops of the scanner: from a chunk of bytes to the few lines that matter. In JavaScript most of a run went into
 * compiling them and into bytes looked at one by one; here they run at full speed from the start, sixteen bytes at a time.
 *
 * What it computes is small. `run` splits a chunk into lines. `find` looks for a shape that a line has: `fit` compares the
 * bytes that all lines of the shape share and walks over the values between them (`skipValue` and what it calls accept just
 * what JSON.parse accepts), noting where the wanted ones lie, counts as numbers and ids as hashes. A line of no known shape
 * is handed out to be parsed. Nothing here decides what counts: that is read-object.ts for parsed lines and answer.ts for
 * compared ones. The whole of it in plain JavaScript is fixtures/reference.ts, and scanner.test.ts holds the two together.
 *
 * Contract of all functions: positions go in and come out, -1 says "no". The byte at the end of a line is a control
 * character, so nothing runs past it, and there is room behind the last one to read on for a while.
 */
export function scanProgram(): Uint8Array<ArrayBuffer> {
  return typeof HOOKLINE_SCAN_PROGRAM === "string"
    ? Uint8Array.from(Buffer.from(HOOKLINE_SCAN_PROGRAM, "base64"))
    : assemble(
        [isSame, skipString, plainEnd, skipScalar, skipValue, hash, fit, findNewline, endsWell, isResult, find, run],
        { find: fn.find, run: fn.run },
      );
}

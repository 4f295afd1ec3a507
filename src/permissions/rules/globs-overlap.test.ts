import fc from "fast-check";
import { expect, test } from "vitest";
import { fitsPieces } from "../../protocol/internal.ts";
import { type Glob, globsOverlap } from "./spec-patterns.ts";

const text = fc.string({ unit: fc.constantFrom("a", "b", " "), maxLength: 8 });
const glob = fc.array(text, { minLength: 1, maxLength: 4 }).map((pieces) => pieces as unknown as Glob);

/** The same by the book: gaps as `.*`. */
function asExpression(pieces: Glob): RegExp {
  return new RegExp(`^${pieces.join("[^]*")}$`);
}

test("a glob fits what its expression matches", () => {
  fc.assert(
    fc.property(
      glob,
      text,
      (pieces, candidate) => fitsPieces(pieces, candidate) === asExpression(pieces).test(candidate),
    ),
    { numRuns: 600 },
  );
});

test("two globs overlap when a text fits both, and never miss one that does", () => {
  fc.assert(
    fc.property(
      glob,
      glob,
      text,
      (a, b, candidate) => !(fitsPieces(a, candidate) && fitsPieces(b, candidate)) || globsOverlap(a, b),
    ),
    { numRuns: 600 },
  );
  fc.assert(
    fc.property(glob, glob, (a, b) => {
      if (!globsOverlap(a, b)) return true;
      // The witness: the longer ends, with all middles of both between them.
      if (a.length === 1 || b.length === 1) return fitsPieces(a.length === 1 ? b : a, a.length === 1 ? a[0] : b[0]);
      const longer = (x: string, y: string) => (x.length > y.length ? x : y);
      const witness = [
        longer(a[0], b[0]),
        ...a.slice(1, -1),
        ...b.slice(1, -1),
        longer(a.at(-1) ?? "", b.at(-1) ?? ""),
      ].join("");
      return fitsPieces(a, witness) && fitsPieces(b, witness);
    }),
    { numRuns: 600 },
  );
});

test("a long piece is found in repetitive text without going back", () => {
  const piece = `${"a".repeat(2_000)}b`;
  expect(fitsPieces(["x", piece, "y"], `x${"a".repeat(60_000)}y`)).toBe(false);
  expect(fitsPieces(["x", piece, "y"], `x${"a".repeat(60_000)}by`)).toBe(true);
});

import {
  block,
  branch,
  branchIf,
  type Code,
  call,
  type Func,
  giveBack,
  i32,
  local,
  loop,
  type,
  when,
} from "./assemble.ts";
import { next, no, setWord, wordAt } from "./idioms.ts";
import { at, fn, shapeAt } from "./layout.ts";

/** The shape of a line. */

/**
 * (where a line begins) → the shape it has, 0 for none. Lines follow each other in habits: the shape that followed the last
 * one the last time is tried first. Shapes that fit move one place to the front.
 */
export const find: Func = (() => {
  const start = local(0);
  const shape = local(1);
  const stopped = local(2);
  const place = local(3);
  const last = local(4);
  const swapped = local(5);
  const fits = i32.ne(stopped.tee(call(fn.fit, shape.get, start.get)), no);
  const keep = setWord(at.stoppedAt, stopped.get);
  const search = (list: number, count: number, found: readonly Code[]): readonly Code[] => [
    place.set(i32.const(list)),
    last.set(i32.add(i32.const(list), i32.shiftLeft(wordAt(count), i32.const(2)))),
    block(
      loop(
        branchIf(i32.eq(place.get, last.get), 1),
        shape.set(i32.load(place.get)),
        when(
          fits,
          keep,
          when(
            i32.ne(place.get, i32.const(list)),
            swapped.set(i32.load(i32.sub(place.get, i32.const(4)))),
            i32.store(i32.sub(place.get, i32.const(4)), shape.get),
            i32.store(place.get, swapped.get),
          ),
          ...found,
          giveBack(shape.get),
        ),
        place.set(next(place.get, 4)),
        branch(0),
      ),
    ),
  ];
  return {
    parameters: 1,
    locals: [type.i32, type.i32, type.i32, type.i32, type.i32],
    body: [
      setWord(at.passedAt, no),
      when(
        wordAt(at.previous),
        shape.set(i32.load(wordAt(at.previous), shapeAt.next)),
        when(shape.get, when(fits, keep, setWord(at.previous, shape.get), giveBack(shape.get))),
      ),
      ...search(at.shapes, at.shapeCount, [
        when(wordAt(at.previous), i32.store(wordAt(at.previous), shape.get, shapeAt.next)),
        setWord(at.previous, shape.get),
      ]),
      // Last: the front of a progress line does not tell whether it holds the copy of an answer.
      ...search(at.progressShapes, at.progressCount, []),
      giveBack(i32.const(0)),
    ],
  };
})();

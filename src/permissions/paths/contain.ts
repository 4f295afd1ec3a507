import { segmentsOf } from "./resolve.ts";

/** The segments of `path` below `folder`, or undefined when it lies elsewhere. By segments, never by text. */
export function segmentsBelow(path: string, folder: string): readonly string[] | undefined {
  const [segments, base] = [segmentsOf(path), segmentsOf(folder)];
  return base.every((segment, index) => segments[index] === segment) ? segments.slice(base.length) : undefined;
}

export function isWithin(path: string, folder: string): boolean {
  return segmentsBelow(path, folder) !== undefined;
}

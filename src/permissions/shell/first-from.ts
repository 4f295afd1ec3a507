/** The first of the ascending places that is not before `from`. */
export function firstFrom(places: readonly number[] | undefined, from: number): number | undefined {
  if (places === undefined) return undefined;
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  return places[low];
}

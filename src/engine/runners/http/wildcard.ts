/**
 * Whether `pattern`, in which `*` stands for any run of characters, is all of `text`.
 * Contract: no back-tracking beyond the last star, so the cost is at most the product of the two lengths.
 */
export function wildcard(pattern: string, text: string): boolean {
  let at = 0;
  let star = -1;
  let resume = 0;
  let place = 0;
  while (place < text.length) {
    if (pattern[at] === "*") {
      star = at++;
      resume = place;
    } else if (at < pattern.length && pattern[at] === text[place]) {
      at++;
      place++;
    } else if (star >= 0) {
      at = star + 1;
      place = ++resume;
    } else return false;
  }
  while (pattern[at] === "*") at++;
  return at === pattern.length;
}

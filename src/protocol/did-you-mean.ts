/** The candidate closest to what was typed, for "did you mean"; undefined when nothing is close. */
export function closestName(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(word.length / 3)) + 1;
  const typed = word.toLowerCase();
  for (const candidate of candidates) {
    const distance = editDistance(typed, candidate.toLowerCase(), bestDistance);
    if (distance >= bestDistance) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best ?? begunWith(typed, candidates);
}

/** A sentence to put after one about an unknown name, with a space before it: the closest name, or else what is given. */
export function didYouMean(word: string, names: Iterable<string>, otherwise = ""): string {
  const near = closestName(word, names);
  const hint = near === undefined || near === word ? otherwise : `Did you mean "${near}"?`;
  return hint === "" ? "" : ` ${hint}`;
}

/** Whether a word is a name in another case, or with one letter added, missing, wrong, or swapped with its neighbor. */
export function isMisspelling(word: string, name: string): boolean {
  const [typed, meant] = [word.toLowerCase(), name.toLowerCase()];
  if (typed === meant) return true;
  if (Math.min(typed.length, meant.length) < minLetters) return false;
  if (editDistance(typed, meant, 2) < 2) return true;
  const at = [...typed].findIndex((letter, index) => letter !== meant[index]);
  return typed.slice(0, at) + typed.charAt(at + 1) + typed.charAt(at) + typed.slice(at + 2) === meant;
}

/** Users abbreviate: the shortest candidate that starts with the word. */
function begunWith(typed: string, candidates: Iterable<string>): string | undefined {
  if (typed.length < minLetters) return undefined;
  const longer = [...candidates].filter((candidate) => candidate.toLowerCase().startsWith(typed));
  return longer.sort((a, b) => a.length - b.length)[0];
}

const minLetters = 3;

/** Levenshtein distance, given up at `limit`: words are short, but they come from files. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min((previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, swap));
    }
    previous = current;
  }
  return previous[b.length] ?? limit;
}

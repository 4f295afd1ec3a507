/** Settings as they may be shown: a token is for the file alone, whoever's it is. One that a variable holds is none. */
export function masked(settings: string): string {
  return settings.replace(/("Authorization"\s*:\s*"Bearer )(?!\$)(?:[^"\\]|\\.)+/gi, "$1…");
}

/** A name as a file system sees it that tells neither case nor Unicode form apart. */
export function foldName(name: string): string {
  if (/^[\x20-\x40\x5b-\x7e]*$/.test(name)) return name;
  // Upper case first: some letters (ſ, K) meet their twin only there.
  return name.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");
}

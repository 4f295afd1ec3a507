/** Bytes as people read them: `512 bytes`, `29.3KB`, `4MB`. */
export function readableSize(bytes: number): string {
  if (bytes < 1_024) return `${bytes} bytes`;
  const [amount, unit] =
    bytes < 2 ** 20 ? [bytes / 1_024, "KB"] : bytes < 2 ** 30 ? [bytes / 2 ** 20, "MB"] : [bytes / 2 ** 30, "GB"];
  return `${amount.toFixed(1).replace(/\.0$/, "")}${unit}`;
}

export interface WebFetchOptions {
  /** What a small model makes of the page for the prompt. */
  readonly digest: (text: string, prompt: string, signal: AbortSignal) => Promise<string>;
  /** Whether an address may be connected to; public ones only unless told. */
  readonly permits?: (address: string) => boolean;
  /** The addresses of a host name; the system's answer unless told. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
}

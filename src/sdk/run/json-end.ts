const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** Finds the end of the first JSON object in bytes that come in pieces. It does not judge them: that is the parser's work. */
export class JsonEnd {
  #depth = 0;
  #begun = false;
  #inText = false;
  #escaped = false;
  #bytes = 0;

  /** True once the object is complete, or when what comes can be none. */
  feed(chunk: Uint8Array): boolean {
    for (const byte of chunk) {
      this.#bytes++;
      if (this.#inText) this.#text(byte);
      else if (this.#outside(byte)) return true;
    }
    return false;
  }

  /** How many bytes were looked at: with the last of them the object is complete. What follows it is not part of it. */
  get length(): number {
    return this.#bytes;
  }

  #text(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === backslash) this.#escaped = true;
    else if (byte === quote) this.#inText = false;
  }

  #outside(byte: number): boolean {
    if (byte === quote) this.#inText = true;
    else if (byte === openBrace || byte === openBracket) {
      this.#depth++;
      this.#begun = true;
    } else if (byte === closeBrace || byte === closeBracket) {
      this.#depth--;
    }
    return this.#begun && this.#depth <= 0;
  }
}

/** Reads times such as `2026-11-15T06:44:20.348Z`; remembers the day, which most lines share with the one before. */
export function timeReader(): (bytes: Uint8Array, from: number, to: number) => number {
  const day = new Uint8Array(10);
  let dayAt = Number.NaN;

  const sameDay = (bytes: Uint8Array, from: number): boolean => {
    for (let index = 0; index < 10; index++) if (day[index] !== bytes[from + index]) return false;
    return true;
  };

  return (bytes, from, to) => {
    if (!isUsual(bytes, from, to)) return Date.parse(textOf(bytes, from, to));
    if (!sameDay(bytes, from)) {
      day.set(bytes.subarray(from, from + 10));
      dayAt = Date.parse(`${textOf(bytes, from, from + 10)}T00:00:00.000Z`);
    }
    const hours = two(bytes, from + 11);
    const minutes = two(bytes, from + 14);
    const seconds = two(bytes, from + 17);
    // Odd times, such as 24:00, are left to the platform's own reader.
    if (hours > 23 || minutes > 59 || seconds > 59) return Date.parse(textOf(bytes, from, to));
    const millis = two(bytes, from + 20) * 10 + ((bytes[from + 22] as number) - 0x30);
    return dayAt + ((hours * 60 + minutes) * 60 + seconds) * 1000 + millis;
  };
}

/** `dddd-dd-ddTdd:dd:dd.dddZ` */
function isUsual(bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from !== 24) return false;
  for (let index = 0; index < 24; index++) {
    const byte = bytes[from + index] as number;
    const wanted = pattern[index] as number;
    if (wanted === 0 ? byte < 0x30 || byte > 0x39 : byte !== wanted) return false;
  }
  return true;
}

const pattern: Uint8Array = Uint8Array.from("0000-00-00T00:00:00.000Z", (character) =>
  character === "0" ? 0 : character.charCodeAt(0),
);

function two(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) - 0x30) * 10 + ((bytes[at + 1] as number) - 0x30);
}

function textOf(bytes: Uint8Array, from: number, to: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString("latin1");
}

import type { LogRecord } from "./logger.ts";

const longestLine = 64 * 1024;
const longestText = 4_096;

/** A record as one line of bounded length: what an author hands to the log may be anything, and of any size. */
export function lineOf(record: LogRecord): string {
  const [text, plain] = written(record);
  if (text.length <= longestLine) return text;
  const short = Object.entries(plain).map(([name, value]) => [name, shortened(value)]);
  return JSON.stringify({ ...Object.fromEntries(short), cut: true });
}

/** The line, and the record it was made of: data may hold a ring, a BigInt, or a toJSON that throws. */
function written(record: LogRecord): readonly [string, LogRecord] {
  try {
    return [JSON.stringify(record), record];
  } catch {
    const plain = { ...record, data: told(record["data"]) };
    return [JSON.stringify(plain), plain];
  }
}

/** As much of it as JSON can hold; else its own words must do. */
function told(data: unknown): unknown {
  const above: unknown[] = [];
  const plain = function (this: unknown, _key: string, value: unknown): unknown {
    if (typeof value === "bigint") return String(value);
    if (typeof value !== "object" || value === null) return value;
    above.length = above.indexOf(this) + 1;
    if (above.includes(value)) return "[ring]";
    above.push(value);
    return value;
  };
  try {
    return JSON.parse(JSON.stringify(data, plain));
  } catch {
    return Object.prototype.toString.call(data);
  }
}

function shortened(value: unknown): unknown {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text.length <= longestText ? value : `${text.slice(0, longestText)}…`;
}

/**
 * The corpus's own idea of money, written apart from the product's on purpose: dollars per million tokens as the vendor
 * lists them, and BigInt arithmetic in place of fractions.
 */
const rows = [
  [/^claude-fable-5-1$/, ["10", "12.50", "20", "0.25", "50"], { geo: true }],
  [/^claude-fable-5$/, ["10", "12.50", "20", "1", "50"], { geo: true }],
  [/^claude-opus-5-5$/, ["4", "5", "8", "0.20", "20"], { geo: true, fast: ["8", "10", "16", "0.40", "40"] }],
  [/^claude-opus-(5|4-8)$/, ["5", "6.25", "10", "0.50", "25"], { geo: true, fast: ["10", "12.50", "20", "1", "50"] }],
  [/^claude-opus-4-[67]$/, ["5", "6.25", "10", "0.50", "25"], { geo: true, fast: ["30", "37.50", "60", "3", "150"] }],
  [/^claude-opus-4-5-20251101$/, ["5", "6.25", "10", "0.50", "25"], {}],
  [/^claude-opus-4(-1)?-2025\d{4}$/, ["15", "18.75", "30", "1.50", "75"], {}],
  [/^claude-sonnet-5-5$/, ["2", "2.50", "4", "0.20", "10"], { geo: true, until: "2026-10-07" }],
  [/^claude-sonnet-5-5$/, ["2", "2.50", "4", "0.10", "10"], { geo: true }],
  [/^claude-sonnet-5$/, ["2", "2.50", "4", "0.20", "10"], { geo: true }],
  [/^claude-sonnet-4-6$/, ["3", "3.75", "6", "0.30", "15"], { geo: true }],
  [
    /^claude-sonnet-4-5-20250929$/,
    ["3", "3.75", "6", "0.30", "15"],
    { over: 200_000, long: ["6", "7.50", "12", "0.60", "22.50"] },
  ],
  [/^claude-3-7-sonnet-20250219$/, ["3", "3.75", "6", "0.30", "15"], {}],
  [
    /^claude-haiku-5-5$/,
    ["0.10", "0.125", "0.20", "0.01", "0.50"],
    { geo: true, over: 100_000, long: ["0.50", "0.625", "1", "0.05", "2.50"] },
  ],
  [/^claude-haiku-4-5-20251001$/, ["1", "1.25", "2", "0.10", "5"], {}],
];

/** Micro-dollars of one part of a call, or undefined where no price is known. */
export function costOf({ model, at, tokens, prompt, speed, tier, geo }) {
  const row = rows.find(
    ([name, , extra]) => name.test(model) && (extra.until === undefined || at < Date.parse(extra.until)),
  );
  if (row === undefined) return undefined;
  const [, normal, extra] = row;
  const fast = speed === "fast" && extra.fast !== undefined;
  const list = fast ? extra.fast : extra.long && prompt > extra.over ? extra.long : normal;
  const counts = [tokens.input, tokens.write5m, tokens.write1h, tokens.read, tokens.output];
  let pico = list.reduce((sum, dollars, index) => sum + BigInt(counts[index]) * picoPerToken(dollars), 0n) * 20n;
  if (tier === "batch" && !fast) pico /= 2n;
  if (geo === "us" && extra.geo) pico = (pico * 11n) / 10n;
  pico += BigInt(tokens.searches) * 10_000_000_000n * 20n;
  return Number((pico + 10_000_000n) / 20_000_000n);
}

/** "12.50" dollars per million → 12,500,000 pico-dollars per token, digit by digit. */
function picoPerToken(dollars) {
  const [whole, part = ""] = dollars.split(".");
  return BigInt(whole + part.padEnd(6, "0"));
}

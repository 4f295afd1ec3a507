/**
 * Filler that reads like code, logs and prose, already escaped for a JSON string, with an escape every twenty-five characters
 * or so. It holds what trips careless readers: quoted look-alikes of usage records, other alphabets, line separators.
 */
const words = `the file const return await error import value session function => { } (ok) for each of them and then
src/app/main.ts:42 0x1f PASS FAIL npm run test 12.5ms http://127.0.0.1:8080/ node_modules should because which tokens
nothing changed in this branch line of output while reading the next one it was found that this.state.items.length
is not what we expected so let us look at the callers first; there are several places where parseArguments(options)
is used without a check \\n \\n \\n\\t\\t \\n\\n \\"name\\" \\"value\\", größer naïve`.split(/[ \n]+/);

const rare = `日本語 😀 \\u001b[31m \\\\d+ </script> \u00a0 \u2028
{\\"type\\":\\"assistant\\",\\"message\\":{\\"id\\":\\"msg_quoted\\",\\"usage\\":{\\"input_tokens\\":999999}}}`.split(
  /[ \n]+/,
);

/** A function that gives about `count` characters of filler, whole words only. */
export function fillerText(random, size = 1 << 20) {
  const starts = [];
  let pool = "";
  while (pool.length < size) {
    starts.push(pool.length);
    pool += `${random.pick(random.chance(0.02) ? rare : words)} `;
  }
  starts.push(pool.length);
  return (count) => {
    let text = "";
    while (text.length < count) {
      const first = random.below(starts.length - 1);
      const last = firstAtOrAfter(starts, starts[first] + count - text.length);
      text += pool.slice(starts[first], starts[Math.max(last, first + 1)]);
    }
    return text;
  };
}

function firstAtOrAfter(starts, offset) {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[middle] < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

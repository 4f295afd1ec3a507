/** An SVG that shows a terminal with this text. The first line is the command. */
export function terminalPicture(text) {
  const lines = text.trimEnd().split("\n");
  const width = Math.ceil(Math.max(...lines.map((line) => line.length)) * charWidth + 2 * margin);
  const height = lines.length * lineHeight + top + margin;
  const rows = lines.map((line, index) => row(line, top + (index + 1) * lineHeight - 6, index === 0));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(lines[0])}</title>`,
    `<rect width="${width}" height="${height}" rx="8" fill="#161b22"/>`,
    ...["#ff5f57", "#febc2e", "#28c840"].map(
      (fill, at) => `<circle cx="${20 + at * 18}" cy="18" r="6" fill="${fill}"/>`,
    ),
    '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13" xml:space="preserve">',
    ...rows.filter((line) => line !== ""),
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

/** The lines of text in a picture that `terminalPicture` made. */
export function textIn(svg) {
  return [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, line]) => line).join("\n");
}

const charWidth = 7.83;
const lineHeight = 19;
const margin = 18;
const top = 36;
const colors = { command: "#7ee787", deny: "#ff7b72", plain: "#c9d1d9" };

function row(line, y, isCommand) {
  if (line.trim() === "") return "";
  const color = isCommand ? colors.command : / deny {2}/.test(line) && /\d{4}-/.test(line) ? colors.deny : colors.plain;
  const length = (line.length * charWidth).toFixed(1);
  return `<text x="${margin}" y="${y}" fill="${color}" textLength="${length}">${escaped(line)}</text>`;
}

function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

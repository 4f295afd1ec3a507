/** A table; a bar in a cell would end it. */
export function table(head, rows) {
  const line = (cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), `|${head.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}

export function code(text) {
  return `\`${text}\``;
}

export function codes(texts) {
  return texts.map(code).join(", ");
}

/** The first line of every generated page. */
export const printed = "<!-- Printed by `npm run docs`; a test compares. Change the source, not this page. -->";

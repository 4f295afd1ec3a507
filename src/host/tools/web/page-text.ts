const unseen = new Set(["script", "style", "noscript", "template", "svg"]);
const breaking = new Set([
  ...["p", "div", "br", "li", "ul", "ol", "tr", "table", "section", "article", "header", "footer", "pre", "blockquote"],
  ...["h1", "h2", "h3", "h4", "h5", "h6", "hr", "main", "nav", "title"],
]);

/** The words of a page: tags away, what nobody sees away. Each character is looked at once, whatever the page. */
export function pageText(html: string): string {
  const parts: string[] = [];
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    parts.push(decoded(html.slice(at, open < 0 ? html.length : open)));
    if (open < 0) break;
    const close = html.startsWith("<!--", open) ? html.indexOf("-->", open) : html.indexOf(">", open);
    if (close < 0) break;
    const name = /^<\/?([a-z][a-z0-9]*)/i.exec(html.slice(open, open + 32))?.[1]?.toLowerCase() ?? "";
    if (breaking.has(name)) parts.push("\n");
    at = close + (html.startsWith("<!--", open) ? 3 : 1);
    if (unseen.has(name) && html[open + 1] !== "/") at = behind(html, name, at);
  }
  return parts
    .join("")
    .split("\n")
    .map((line) => line.replace(/\s+/g, " ").trim())
    .filter((line, index, lines) => line !== "" || lines[index - 1] !== "")
    .join("\n")
    .trim();
}

/** Behind the end tag; a part that is never ended swallows the rest. */
function behind(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}[\\s>]`, "gi");
  end.lastIndex = from;
  const found = end.exec(html);
  const close = found === null ? -1 : html.indexOf(">", found.index);
  return close < 0 ? html.length : close + 1;
}

const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

function decoded(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi, (whole, number, hex, name) => {
    const code = number === undefined ? Number.parseInt(hex ?? "", 16) : Number(number);
    if (name !== undefined) return named[String(name).toLowerCase()] ?? whole;
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : whole;
  });
}

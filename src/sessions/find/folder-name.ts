const longest = 200;

/**
 * The name of the project folder for a working directory: every UTF-16 unit outside A-Z a-z 0-9 becomes a hyphen. A long
 * result is cut and told apart by a hash of the original. It cannot be turned back, so nothing here does.
 */
export function folderName(cwd: string): string {
  const escaped = cwd.replace(/[^A-Za-z0-9]/g, "-");
  if (escaped.length <= longest) return escaped;
  return `${escaped.slice(0, longest)}-${hash(cwd)}`;
}

function hash(text: string): string {
  let value = 0;
  for (let at = 0; at < text.length; at++) value = (Math.imul(value, 31) + text.charCodeAt(at)) | 0;
  return Math.abs(value).toString(36);
}

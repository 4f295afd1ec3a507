export function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/** Models and logs receive the name of a hook as a part of reasons. */
export function withoutPassword(url: string): string {
  if (!url.includes("@")) return url;
  if (!URL.canParse(url)) return url.replace(/:.*@/s, "://…@");
  const { protocol, host, pathname, search, username, password } = new URL(url);
  return username === "" && password === "" ? url : `${protocol}//…@${host}${pathname}${search}`;
}

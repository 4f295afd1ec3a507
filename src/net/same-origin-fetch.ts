/**
 * `fetch` for requests that carry a key in a header: follows redirects only within the requested origin. `fetch` alone removes only
 * `Authorization` and cookies for another host. A redirect that is not followed becomes an error response that explains it.
 */
export async function sameOriginFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const asked = new URL(input instanceof Request ? input.url : input);
  const method = (init?.method ?? (input instanceof Request ? input.method : "GET")).toUpperCase();
  let response = await fetch(input, { ...init, redirect: "manual" });
  let at = asked;
  for (let hops = 0; ; hops += 1) {
    const location = redirects.has(response.status) ? response.headers.get("location") : null;
    if (location === null) return response;
    await response.body?.cancel();
    const to = URL.canParse(location, at.href) ? new URL(location, at) : undefined;
    // Other statuses would turn a POST into a GET; the body of a Request cannot be sent twice.
    const same = to?.origin === asked.origin && !(input instanceof Request);
    if (!same || hops >= maxHops || !(method === "GET" || response.status >= 307)) return refused(response, asked, to);
    at = to;
    response = await fetch(at, { ...init, redirect: "manual" });
  }
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const maxHops = 5;

function refused({ status }: Response, asked: URL, to: URL | undefined): Response {
  const where = to === undefined ? "an invalid address" : to.origin;
  const message = `${asked.origin} redirects to ${where}. The redirect is not followed, because the request carries a key; if it is right, name that address in the configuration.`;
  return Response.json({ error: { type: "redirect", message } }, { status });
}

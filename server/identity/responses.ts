type JsonObject = Record<string, unknown>;

/** Replaces fields of Better Auth's response. */
export async function editBody(
  response: Response,
  edit: (body: JsonObject) => JsonObject | Promise<JsonObject>,
): Promise<Response> {
  const body: JsonObject | null = await response.json();
  const { status, headers } = response;
  return Response.json(body && { ...body, ...(await edit(body)) }, { status, headers });
}

/** The code of a failed response. */
export async function readErrorCode(response: Response): Promise<unknown> {
  if (response.ok) return undefined;
  const copy = response.clone();
  const body: { code?: unknown } | null = await copy.json().catch(() => null);
  return body?.code;
}

/** The cookies that a response sets, as the browser would send them. */
export function readSetCookies(response: Response): Headers {
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
  return new Headers({ cookie: cookies.join('; ') });
}

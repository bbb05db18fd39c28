/** A request to show as a command. */
export interface Request {
  readonly method: string;
  /** Below `/client/v4`, with its query. */
  readonly path: string;
  readonly body: string | null;
}

/** The command that sends the request again. It names no token: the shell puts in the caller's own. */
export function curlOf({ method, path, body }: Request): string {
  return [
    `curl -X ${quoted(method)} "$CLOUDFLARE_BASE_URL"${quoted(path)}`,
    `-H "Authorization: Bearer $CLOUDFLARE_API_TOKEN"`,
    ...(body === null ? [] : [`-H 'Content-Type: application/json'`, `-d ${quoted(body)}`]),
  ].join(" \\\n  ");
}

/** The same for a call in the dashboard, which needs no token. */
export function dashboardCurlOf(origin: string, { method, path, body }: Request): string {
  const data = body === null ? [] : [`-H 'Content-Type: application/json'`, `-d ${quoted(body)}`];
  return [`curl -X ${quoted(method)} ${quoted(`${origin}/_admin/api${path}`)}`, ...data].join(" \\\n  ");
}

/** One word of a shell, whatever it holds. */
function quoted(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** What the build made of a page. */
export interface Built {
  readonly style: string;
  readonly script: string;
  /** Of each, `sha256-` and the digest that the policy names. */
  readonly styleHash: string;
  readonly scriptHash: string;
  /** Whether the page may call the server that it came from. */
  readonly calls: boolean;
}

/** What one page shows; `compiled-page.d.ts` says more. */
interface Content {
  readonly title: string;
  readonly data: unknown;
  readonly markup?: string;
}

/** Returns what the module of a page exports. Nothing but the built script and style runs in it, whatever its values hold. */
export function pageOf({ style, script, styleHash, scriptHash, calls }: Built): {
  pageDocument: (content: Content) => string;
  policy: string;
} {
  const rules = [
    "default-src 'none'",
    `script-src '${scriptHash}'`,
    `style-src '${styleHash}'`,
    "img-src data:",
    ...(calls ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const pageDocument = ({ title, data, markup = "" }: Content): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${rules}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escaped(title)}</title>
<link rel="icon" href="${ICON}">
<style>${style}</style>
</head>
<body>
<div id="page">${markup}</div>
<script type="application/json" id="data">${json(data)}</script>
<script>${script}</script>
</body>
</html>
`;
  // A document cannot say who may frame it, so only the header does.
  return { pageDocument, policy: `${rules}; frame-ancestors 'none'` };
}

/** Two hexagons: a zone, and the form that it is given. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path d="M16 2l12 7v14l-12 7-12-7V9z" fill="#0f766e"/><path d="M11 11h10l-10 10h10" fill="none" stroke="#fff" stroke-width="3" stroke-linejoin="round" stroke-linecap="round"/></svg>`,
)}`;

/** JSON in which nothing can end its element. */
function json(data: unknown): string {
  return JSON.stringify(data).replaceAll("<", "\\u003c");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

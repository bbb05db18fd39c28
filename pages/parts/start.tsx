import { type JSX, render } from "preact";

/** The data that came with the page. What it is, the page itself knows. */
export function pageData(): unknown {
  return JSON.parse(document.getElementById("data")?.textContent ?? "null");
}

/** Shows the page in place of what stands there without a script. */
export function start(page: JSX.Element): void {
  const place = document.getElementById("page");
  if (place === null) return;
  place.replaceChildren();
  render(page, place);
}

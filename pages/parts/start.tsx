import { type JSX, render } from "preact";
import type { Json } from "./json.ts";

/** The data that came with the page. */
export function pageData(): Json {
  return JSON.parse(document.getElementById("data")?.textContent ?? "null");
}

/** Shows the page in place of what stands there without a script. */
export function start(page: JSX.Element): void {
  const place = document.getElementById("page");
  if (place === null) return;
  place.replaceChildren();
  render(page, place);
}

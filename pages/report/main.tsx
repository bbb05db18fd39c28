import { hydrate } from "preact";
import { ReportPage } from "./page.tsx";
import type { ReportData } from "./report-page.d.ts";

/** A long report came compressed, because a browser reads a small file sooner. */
async function unpacked(packed: ReportData | string): Promise<ReportData> {
  if (typeof packed !== "string") return packed;
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).json();
}

async function start(): Promise<void> {
  const place = document.getElementById("page");
  if (place === null) return;
  const data = await unpacked(JSON.parse(document.getElementById("data")?.textContent ?? ""));
  hydrate(<ReportPage data={data} />, place);
  document.documentElement.dataset["live"] = "";
}

void start();

// A closed part would be missing on paper.
addEventListener("beforeprint", () => {
  for (const part of document.querySelectorAll("details")) part.open = true;
});

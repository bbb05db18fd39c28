import { renderToString } from "preact-render-to-string";
import { ReportPage } from "./page.tsx";
import type { ReportData } from "./report-page.d.ts";

/** The page as it stands before its script has run: the verdict, the hazards, the table and the first items. */
export function markup(data: ReportData): string {
  return renderToString(<ReportPage data={data} />);
}

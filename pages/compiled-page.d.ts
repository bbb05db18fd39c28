// The types of what .ci/bundle.mjs makes of a folder of pages/: a module that holds the page as text. `#emulator-page` in the
// `imports` of package.json resolves to both.

/** What one page shows. */
export interface PageContent {
  /** The title of the window. */
  readonly title: string;
  /** What the page's script reads, as JSON. */
  readonly data: unknown;
  /** HTML to show until the script has run, or where there is none. The caller escapes every value in it. */
  readonly markup?: string;
}

/** Returns the page as one HTML document, with its style, its script and its data. */
export function pageDocument(content: PageContent): string;

/** The content security policy, for the header of an answer. The document holds the same, except who may frame it. */
export const policy: string;

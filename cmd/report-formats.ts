/** The formats that every command has. */
const OF_ALL = [
  "text",
  "json",
  "markdown",
  "markdown-gitlab",
  "markdown-bitbucket",
  "github",
  "github-summary",
  "html",
] as const;

type OfAll = (typeof OF_ALL)[number];

/** The formats of `--report` by command. */
interface Formats {
  readonly plan: readonly (OfAll | "gitlab-terraform" | "terraform-json")[];
  readonly apply: readonly OfAll[];
  readonly drift: readonly (OfAll | "prometheus")[];
  readonly status: readonly (OfAll | "prometheus")[];
}

/** The same, in the order in which help lists them. */
export const REPORTS: Formats = {
  plan: [...OF_ALL, "gitlab-terraform", "terraform-json"],
  apply: OF_ALL,
  drift: [...OF_ALL, "prometheus"],
  status: [...OF_ALL, "prometheus"],
};

/** The formats that print any report. */
export type ReportFormat = Exclude<OfAll, "json" | "github">;

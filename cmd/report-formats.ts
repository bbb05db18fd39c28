/** The formats of `--report` by command, in the order in which help lists them. */
export const REPORTS = {
  plan: [
    "text",
    "json",
    "markdown",
    "markdown-gitlab",
    "markdown-bitbucket",
    "github",
    "github-summary",
    "html",
    "gitlab-terraform",
    "terraform-json",
  ],
  apply: ["text", "json", "markdown", "markdown-gitlab", "markdown-bitbucket", "github", "github-summary", "html"],
  drift: [
    "text",
    "json",
    "markdown",
    "markdown-gitlab",
    "markdown-bitbucket",
    "github",
    "github-summary",
    "html",
    "prometheus",
  ],
  status: [
    "text",
    "json",
    "markdown",
    "markdown-gitlab",
    "markdown-bitbucket",
    "github",
    "github-summary",
    "html",
    "prometheus",
  ],
} as const;

/** The formats that print any report. */
export type ReportFormat = "text" | "markdown" | "markdown-gitlab" | "markdown-bitbucket" | "github-summary" | "html";

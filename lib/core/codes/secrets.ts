/** Secrets that are missing, or in a place where they must not be. */
export const SECRETS = {
  "secret-inside": {
    cause: "a plan or a state that was to be written holds a credential or another secret of this run",
    remedy: "take the secret out of what is declared or live",
  },
  "secret-not-at-hand": {
    cause: "a secret that the YAML refers to is not where the command runs, so nobody can tell whether it changed",
    remedy: "set it there, or let the job go without it: what it cannot compare is no difference",
  },
  "secret-missing": {
    cause: "a secret that would be sent is not where the command runs",
    remedy: "provide it where plan and apply run",
  },
  "literal-secret": {
    cause: "a secret stands in a file in the clear",
    remedy: "write { env: NAME } or { file: PATH } instead, and replace the secret: it has been in a file",
  },
} as const;

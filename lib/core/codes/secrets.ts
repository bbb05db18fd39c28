/** Secrets that are missing, or in a place where they must not be. */
export const SECRETS = {
  "credential-not-hidden": {
    cause: "a password, token or key is a plain word; hiding it would hide that word in every report",
    message: "{name} is a plain word, so it is not hidden where it is printed",
    remedy: "choose another one: anybody can guess this one",
  },
  "secret-inside": {
    cause: "a plan or a state that was about to be written contains a credential or another secret of this run",
    remedy: "remove the secret from the YAML or from live",
  },
  "secret-not-at-hand": {
    cause: "a secret of the YAML is missing where the command runs, so Zoneform cannot tell whether it changed",
    remedy: "provide it there, or ignore the warning: what cannot be compared counts as unchanged",
  },
  "secret-missing": {
    cause: "a secret that must be sent is missing where the command runs",
    remedy: "provide it where plan and apply run",
  },
  "literal-secret": {
    cause: "a secret is written in a file in the clear",
    remedy: "write { env: NAME } or { file: PATH } instead, and replace the secret: it has been in a file",
  },
} as const;

/** Arguments, files, output and the emulator: everything that commands report, apart from states and plans. */
export const COMMANDS = {
  "bad-argument": {
    cause: "a library function got an invalid argument; nothing was started",
    remedy: "pass what the message names; docs/library.md describes the arguments",
  },
  "unknown-code": {
    cause: "explain was asked about something that is not a code, status or word that zoneform knows",
    message: "{code} is not a code, status or word that zoneform knows",
    remedy: "to list all of them: zoneform explain",
  },
  "which-zone": {
    cause: "the command needs one zone, and the project has several",
    remedy: "choose one with --zone, by name or id",
  },
  "which-move": {
    cause: "state mv needs two addresses, or --project alone",
    remedy: "give two addresses; or, after the project was renamed, only --project with its old name",
  },
  "unknown-hostname": {
    cause: "the hostname is neither live in a zone of the project nor below the name of one",
    remedy: "to list the live hostnames: zoneform hostname list",
  },
  "ambiguous-hostname": {
    cause: "the hostname is live in several zones of the project",
    message: "{hostname} is live in {zones}",
    remedy: "choose one with --zone {name}",
  },
  "not-a-host": {
    cause: "a purge needs exact hostnames, and this is not one",
    message: "{host} is {what}",
    remedy: "write only the name, such as app.customer-one.net, without scheme, port or path",
  },
  "unknown-kind": {
    cause: "there is no such kind of certificate",
    message: "{kind} is not a kind of certificate",
    remedy: "expected one of {kinds}",
  },
  "not-a-report": {
    cause: "--report does not name a file and a format that the command has",
    message: "{value} is not a report of zoneform {command}",
    remedy: "write FORMAT=FILE, where the format is one of {formats}",
  },
  "git-missing": {
    cause: "--since reads an earlier configuration through git, and there is no git on the PATH",
    message: "--since needs git, and there is none on the PATH",
    remedy: "install git, or leave out --since",
  },
  "git-failed": {
    cause: "git could not do what --since needs: the project is in no repository, or git refuses it",
    message: "git failed in {folder}: {reason}",
    remedy: "run the command in a checkout of the repository, or leave out --since",
  },
  "unknown-revision": {
    cause: "the repository has no such branch, tag or commit; a CI job often fetches only the commit that it tests",
    message: "git knows no commit {ref}",
    remedy: "check the name, or fetch it",
  },
  "no-common-commit": {
    cause:
      "this checkout shows no commit that HEAD and the revision have in common; a CI job often fetches only the last ones",
    message: "HEAD and {ref} have no commit in common here",
    remedy: "fetch the whole history, or name a revision that HEAD comes from",
  },
  "earlier-configuration-broken": {
    cause: "the configuration has errors in the commit that --since compares with, or git lacks one of its files there",
    message: "the configuration of {commit} has errors, so --since {ref} cannot say what was pending before",
    remedy: "correct it there, or leave out --since; a source that git does not have is read with --source NAME=FILE",
  },
  "not-a-terraform-state": {
    cause: "the file is not a Terraform state, or has a version that Zoneform cannot read",
    remedy: "write it with a Terraform from 0.12 on: terraform state pull > FILE",
  },
  "cannot-read": {
    cause: "a file that the command line names cannot be read",
    message: "cannot read {what}: {reason}",
    remedy: "check the path",
  },
  "same-output": {
    cause: "a command would write two outputs to one file",
    message: "{file} is named twice, for two outputs",
    remedy: "name another file",
  },
  "not-ended": {
    cause: "the report is of a command that has not ended, or was killed",
    message: "the command has not ended, or was killed",
    remedy: "wait until it ends; if it was killed, run it again",
  },
  "cannot-write": {
    cause: "a file cannot be written",
    message: "cannot write {file}: {reason}",
    remedy: "check the path",
  },
  "output-link": {
    cause: "the output file is a symbolic link, or its path contains one",
    message: "cannot write {file}: {name} is a symbolic link to {target}",
    remedy: "remove the link, or name a path without one; Zoneform writes through no link",
  },
  "not-an-output": {
    cause: "the output file is one that the command reads, or it is in the folder of the states",
    message: "cannot write {file}: {why}",
    remedy: "name a file elsewhere",
  },
  "output-lost": {
    cause: "standard output could not be written; everything else was done",
    remedy: "free disk space, or redirect the output; zoneform undo --list shows what a run did",
  },
  "bad-seed": {
    cause: "the seed of the emulator is not in the format that its schema describes, or contradicts itself",
    remedy: "zoneform schema emulator-seed prints the format, docs/emulator.md explains it",
  },
  "bad-persist-file": {
    cause: "the --persist file was not written by the emulator",
    message: "{file} {fault}",
    remedy: "name another file, or delete this one to start from the seed",
  },
  "bad-admin-token": {
    cause: "the token in ZONEFORM_EMULATOR_TOKEN, which guards the admin API of the emulator, is too short",
    message: "{variable} has {length} characters, expected {least} or more",
    remedy: "make one with: openssl rand -hex 16",
  },
  "cannot-listen": {
    cause: "the emulator cannot listen on that address",
    message: "cannot listen on {address}: {reason}",
    remedy: "choose another --port (0 takes any free one) or --host",
  },
  "not-loopback": {
    cause: "other machines could reach the emulator at that address, and its admin API has no password",
    remedy:
      "leave --host out, or guard the admin API with a token in ZONEFORM_EMULATOR_TOKEN; docs/emulator.md#in-a-container says when",
  },
} as const;

/** Secrets that are missing, or in a place where they must not be. */
export const SECRETS = {
  "credential-not-hidden": {
    cause: "a password, token or key is a plain word; hiding it would hide that word in every report",
    message: "{name} is a plain word, so it is not hidden where it is printed",
    remedy: "choose another one: anybody can guess this one",
  },
  "secret-inside": {
    cause: "a plan or a state that was about to be written contains a credential or another secret of this run",
    message:
      "{place} would contain a credential or another secret of this run, and could not be read again if that were masked; nothing was written",
    remedy: "remove the secret from the YAML or from live",
  },
  "secret-not-at-hand": {
    cause: "a secret of the YAML is missing where the command runs, so Zoneform cannot tell whether it changed",
    message: "cannot tell whether the certificate of custom_hostname[{hostname}]{more} is the declared one: {reason}",
    remedy: "set it where the command runs; without it, changes of these hostnames are refused",
  },
  "secret-missing": {
    cause: "a secret that must be sent is missing where the command runs",
    remedy: "provide the secret in the environment of plan and apply",
  },
  "literal-secret": {
    cause: "a secret is written in a file in the clear",
    remedy: "write { env: NAME } or { file: PATH } instead, and replace the secret: it has been in a file",
  },
} as const;

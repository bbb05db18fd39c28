/** Arguments, files, output and the emulator: what commands report besides states and plans. */
export const COMMANDS = {
  "bad-argument": {
    cause: "a function of the library was given something that it cannot take; nothing was begun",
    remedy: "give what the message names; docs/library.md says what each function takes",
  },
  "unknown-code": {
    cause: "explain was asked about something that is not a code, status or word that zoneform knows",
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
    cause: "no zone of the project has that hostname, live or below its name",
    remedy: "to list the live hostnames: zoneform hostname list",
  },
  "ambiguous-hostname": {
    cause: "the hostname is live in several zones of the project",
    remedy: "choose one with --zone",
  },
  "not-a-host": {
    cause: "a purge needs exact hostnames, and this is not one",
    remedy: "write only the name, without scheme, port or path",
  },
  "unknown-kind": {
    cause: "there is no such kind of certificate",
    remedy: "choose one that the message lists",
  },
  "not-a-report": {
    cause: "--report does not name a format and a file",
    remedy: "write text=FILE, json=FILE or markdown=FILE",
  },
  "not-a-terraform-state": {
    cause: "the file is no Terraform state, or of a version that is not read",
    remedy: "write it with terraform state pull > FILE, from Terraform 0.12 on",
  },
  "cannot-read": {
    cause: "a file that the command line names cannot be read",
    remedy: "check the path and the permissions",
  },
  "cannot-write": { cause: "a file cannot be written", remedy: "check the path, or make room" },
  "output-link": {
    cause: "the file that was to be written is a symbolic link, or lies behind one",
    remedy: "remove the link, or name a path without one",
  },
  "output-lost": {
    cause: "standard output could not be written; everything but printing was carried out",
    remedy: "make room or send the output elsewhere; zoneform undo --list shows what a run did",
  },
  "bad-seed": {
    cause: "the seed of the emulator is not in the format that its schema describes, or contradicts itself",
    remedy:
      "correct it as the message says; docs/emulator.md explains the format, zoneform schema emulator-seed prints it",
  },
  "bad-persist-file": {
    cause: "the file in which the emulator is to keep everything holds something else",
    remedy: "name another file with --persist, or delete this one to start from the seed",
  },
  "bad-admin-token": {
    cause: "the token in ZONEFORM_EMULATOR_TOKEN, which guards the admin API of the emulator, is too short",
    remedy: "make one with: openssl rand -hex 16",
  },
  "cannot-listen": {
    cause: "the emulator cannot listen on that address",
    remedy: "choose another --port (0 takes any free one) or --host",
  },
  "not-loopback": {
    cause: "other machines could reach the emulator at that address, and its admin API has no password",
    remedy:
      "leave --host out; where it has to be reached from elsewhere, as in a container, set ZONEFORM_EMULATOR_TOKEN",
  },
} as const;

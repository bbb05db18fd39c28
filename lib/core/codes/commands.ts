/** What a command was asked for, or met, besides states and plans: arguments, files, output, the emulator. */
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
    cause: "the seed of the emulator cannot be read, or is not as its schema says",
    remedy: "correct it as the message says; examples/emulator.yaml shows its shape",
  },
  "cannot-listen": {
    cause: "the emulator cannot listen on that address",
    remedy: "choose another --port (0 takes any free one) or --host",
  },
  "not-loopback": {
    cause: "the emulator listens on loopback addresses only, because its admin API asks for no credentials",
    remedy: "use --host 127.0.0.1 or ::1, and run the client on the same machine",
  },
} as const;

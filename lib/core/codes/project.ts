/** How the project's files fit together: paths, zones, layers, policies, checks and moves. */
export const PROJECT = {
  "file-not-found": {
    cause: "a file that the project or a flag names is not there",
    remedy: "correct the path, or put the file there",
  },
  "not-a-file": {
    cause: "a path of the project leads to a folder, a device or a pipe",
    remedy: "give the path of a regular file",
  },
  "file-too-large": {
    cause: "a file is larger, or has more values, than can be read",
    remedy: "split it up, or use a CSV source",
  },
  "file-unreadable": {
    cause: "the system does not let zoneform read a file of the project",
    remedy: "check the file and its permissions",
  },
  "outside-project": {
    cause: "a path leads out of the project's folder, perhaps through a symbolic link",
    remedy: "keep everything that the project reads inside the folder of zoneform.yaml",
  },
  "too-many-files": {
    cause: "zones names more files than a project may have",
    remedy: "mend the pattern, or make several projects of it",
  },
  "duplicate-zone": {
    cause: "two files are about one zone",
    remedy: "keep one file for each zone, and put what is shared into a layer",
  },
  "missing-zone": {
    cause: "a file that zones names does not say which zone it is about",
    remedy: "add zone: with id and name, or move the file away if it is a layer",
  },
  "unknown-zone": {
    cause: "the project has no zone of that name or id",
    remedy: "correct it, or add the zone to the project",
  },
  "layer-cycle": {
    cause: "a layer uses itself, perhaps by way of others",
    remedy: "remove one of the use: entries of the circle",
  },
  "layer-names-zone": {
    cause: "a file that is used as a layer names a zone; a layer belongs to none",
    remedy: "remove zone: there, or put what is shared into a file of its own",
  },
  "too-many-layers": {
    cause: "a zone file uses more layers, or deeper ones, than allowed",
    remedy: "use fewer layers",
  },
  "missing-lifecycle": {
    cause: "custom_hostnames does not say who creates and deletes the hostnames",
    remedy: "set lifecycle: zoneform, or lifecycle: app where the application does",
  },
  "declared-with-app": {
    cause: "entries or rows are declared where lifecycle is app, and would have no effect",
    remedy: "use policies and exceptions, or set lifecycle: zoneform",
  },
  "declared-twice": { cause: "one object is declared in two places of a zone", remedy: "keep one of them" },
  "duplicate-hostname": {
    cause: "a hostname is declared twice, by entries or by rows of a source",
    remedy: "keep one of the two",
  },
  "duplicate-policy": { cause: "two policies or exceptions have one name", remedy: "give one of them another name" },
  "duplicate-check": { cause: "two checks have one name", remedy: "give one of them another name" },
  "unknown-label": {
    cause: "a match looks at a label that no entry and no source gives",
    remedy: "correct its name, or declare it under labels",
  },
  "policy-sets-fact": {
    cause:
      "a policy sets what a match looks at on live hostnames, so that each apply would change what the next one wants",
    remedy: "match on something that no policy sets",
  },
  "not-movable": {
    cause: "moved names something else than a custom hostname that comes into this zone",
    remedy: 'write from: as zone/custom_hostname["NAME"]',
  },
  "move-to-itself": {
    cause: "a move leads to where the hostname is already",
    remedy: "name the other zone in from, or the new hostname in to",
  },
  "moved-and-declared": {
    cause: "a hostname that moves is still declared where it comes from",
    remedy: "remove it there; it is deleted once the new one serves",
  },
  "moved-and-not-declared": {
    cause: "a hostname that moves is not declared where it goes to",
    remedy: "declare it there; it is created, and the old one waits for it",
  },
  "forgotten-and-declared": {
    cause: "forget names an object that is declared as well",
    remedy: "remove one of the two",
  },
  "wildcard-needs-txt": {
    cause: "a wildcard is to be validated by http, which works for single names only",
    remedy: "set the method to txt for it",
  },
  "more-errors": {
    cause: "there are more errors of one code than are shown",
    remedy: "mend the ones above first, then validate again",
  },
} as const;

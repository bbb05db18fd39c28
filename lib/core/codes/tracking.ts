/** Addresses and import ids, and what `import` and `state` do with objects. */
export const TRACKING = {
  "not-an-address": {
    cause: "the text is neither an address nor a hostname",
    message: "{address} is not an address",
    remedy: 'use a hostname, or KIND["KEY"], for example custom_hostname["app.customer-one.net"]; kinds: {kinds}',
  },
  "not-a-key": {
    cause: "objects of that kind cannot have the key in the address",
    message: "{key} is not a valid key for a {kind}",
    remedy: "to list the keys in the state: zoneform state list",
  },
  "address-without-key": {
    cause: "the address is a kind, not one object",
    message: "{address} is a kind, not one object",
    remedy: 'add the object\'s key: {kind}["…"]',
  },
  "ambiguous-address": {
    cause: "the address or hostname is in several zones, or declared in none",
    message: "{address} is {where}",
    remedy: "say which one: {addresses}",
  },
  "not-an-import-id": {
    cause: "the text is not an import id",
    remedy: "write zone/ZONE_ID/RULESET_ID, ZONE_ID/ID, or ZONE_ID with an address before it",
  },
  "import-id-without-kind": {
    cause: "a zone's id alone may mean several kinds of object",
    message: "{id} is the id of a zone, not of an object",
    remedy: "put one of these kinds before it: {kinds}",
  },
  "another-kind": {
    cause: "the address and the import id are of different kinds",
    message: "the id belongs to a {kind}, the address to a {other}",
    remedy: "correct the one that is wrong",
  },
  "another-zone": {
    cause: "the address and the import id are of different zones",
    message: "the id belongs to the zone {zone}, the address to {other}",
    remedy: "correct one of the two",
  },
  "another-object": {
    cause: "the import id belongs to another object than the address names",
    message: "{id} is {found}, not {address}",
    remedy: "remove the address, or correct it",
  },
  "not-an-entry-point": {
    cause: "the ruleset is not an entry point of the zone, and only those can be managed",
    message: "the ruleset {id} is not an entry point of the zone",
    remedy: "import one of the zone's entry points: Zoneform manages no other rulesets",
  },
  "nothing-to-import": {
    cause: "nothing is live under that import id",
    message: "{id} is not live",
    remedy: "check the id; the message shows its forms",
  },
  "another-is-tracked": {
    cause: "the import would replace another live object in the state, which would be orphaned",
    message: "{address} is {id} in the state, which is still live and would become unmanaged",
    remedy: "to keep it live but unmanaged, run zoneform state rm '{address}' first; else delete it",
  },
  "not-declared": {
    cause: "the object to import is live, but the YAML does not declare it",
    message: "{address} is live, but the YAML does not declare it",
    remedy: "declare it in {file}, or let --write add it there as it is live",
  },
  "not-kept": {
    cause: "the files that drift --write would write do not declare exactly the live values",
    message: "nothing was written: {message}",
    remedy: "leave the object out with --exclude, and edit the YAML by hand",
  },
  "file-changed": {
    cause: "a file of the project was changed while drift --write had it open",
    message: "nothing was written: {file} was changed meanwhile",
    remedy: "run the command again",
  },
  "not-declarable": {
    cause: "import --write would have made the project invalid, so it wrote nothing",
    message: "{address} cannot be declared by --write: the project would not be valid with it; nothing was written",
    remedy: "declare it in {file} by hand, then import it",
  },
  "not-tracked": {
    cause: "the object is not in the state",
    message: "{address} is not in {state}",
    remedy: "to list the objects in the state: zoneform state list",
  },
  "moved-to-itself": {
    cause: "the object has this address already",
    message: "{address} has this address already",
    remedy: "nothing to move; to see what else differs: zoneform plan",
  },
  "tracked-already": {
    cause: "another object has the new address already",
    message: "{address} is in the state already",
    remedy: "if that object is not needed any more, release it: zoneform state rm '{address}'",
  },
  "moved-to-another-kind": {
    cause: "the new address is of another kind, or has no key",
    message:
      "{from} cannot become {to}: an object keeps its kind, and the only one of its kind in a zone keeps its address",
    remedy: 'write the new address as {kind}["…"]',
  },
  "moved-to-another-zone": {
    cause: "the new address is in another zone; a state has only the objects of its own zone",
    message: "{address} is in another zone than {zone}: a state has only the objects of its own zone",
    remedy: "give an address in the same zone; to move a custom hostname to another one, use moved: in the YAML",
  },
  "named-live": {
    cause: "the key is the name of the object live, so another address means another object",
    message: "{from} cannot become {to}: its key is its live name, so {to} is another object",
    remedy: "release this object with zoneform state rm, then adopt the other one with zoneform import",
  },
  "fate-unknown": {
    cause: "it is not known whether the object was created, and only its address can find it",
    message: "it is not known yet whether {address} was created, and only this address can find it",
    remedy: "let an apply find out, then move it: zoneform apply",
  },
} as const;

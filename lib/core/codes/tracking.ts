/** Addresses and import ids, and what import and state do with objects. */
export const TRACKING = {
  "not-an-address": {
    cause: "the text is neither an address nor a hostname",
    remedy: 'use a hostname, or for example custom_hostname["app.customer-one.net"], in single quotes in a shell',
  },
  "not-a-key": {
    cause: "objects of that kind cannot have the key in the address",
    remedy: "to see the keys in the state: zoneform state list",
  },
  "address-without-key": {
    cause: "the address is a kind, not one object",
    remedy: 'add the key of the object: KIND["…"]',
  },
  "ambiguous-address": {
    cause: "the address or hostname is in several zones, or declared in none",
    remedy: "write the zone's name in front: ZONE/ADDRESS",
  },
  "not-an-import-id": {
    cause: "the text is no import id",
    remedy: "write zone/ZONE_ID/RULESET_ID, ZONE_ID/ID, or ZONE_ID with an address before it",
  },
  "import-id-without-kind": {
    cause: "a zone's id alone may mean several kinds of object",
    remedy: "give the address before it, as in: zoneform import total_tls ZONE_ID",
  },
  "another-kind": {
    cause: "the address and the import id are of different kinds",
    remedy: "correct the one that is wrong",
  },
  "another-zone": {
    cause: "the address and the import id are of different zones",
    remedy: "correct the one that is wrong",
  },
  "another-object": {
    cause: "the import id belongs to another object than the address names",
    remedy: "leave out the address, or correct it",
  },
  "not-an-entry-point": {
    cause: "the ruleset is no entry point of the zone, and only those can be managed",
    remedy: "import the entry point of the phase, which runs it",
  },
  "nothing-to-import": {
    cause: "nothing is live under that import id",
    remedy: "check the id; the message shows its forms",
  },
  "another-is-tracked": {
    cause: "an import would take the place of another live object, which nobody would know any more",
    remedy: "forget that one with zoneform state rm, or delete it",
  },
  "not-declared": {
    cause: "an object that is to be imported is live, and the YAML does not declare it",
    remedy: "declare it, or let import --write add it as it is live",
  },
  "not-declarable": {
    cause: "import --write would have made the project invalid, so it wrote nothing",
    remedy: "declare the object by hand, then import it",
  },
  "not-tracked": { cause: "the state does not track that object", remedy: "zoneform state list shows what is tracked" },
  "moved-to-itself": {
    cause: "state mv was given the address that the object has already",
    remedy: "zoneform plan shows what else differs; there is nothing to move",
  },
  "tracked-already": {
    cause: "an object is tracked under the new address already",
    remedy: "forget that one with zoneform state rm, if it is no longer meant",
  },
  "moved-to-another-kind": {
    cause: "state mv would make another kind of the object, or takes its key away",
    remedy: "give an address of the same kind, with a key",
  },
  "moved-to-another-zone": {
    cause: "state mv was given an address of another zone; a state knows the objects of its own zone alone",
    remedy: "use moved: in the YAML to take a custom hostname to another zone",
  },
  "named-live": {
    cause: "the object is known live by its key, so that another address means another object",
    remedy: "forget it with zoneform state rm, and import the other one",
  },
  "fate-unknown": {
    cause: "the answer to the request that was to create the object was never seen, and its address leads to it",
    remedy: "let zoneform apply look for it; then move it",
  },
} as const;

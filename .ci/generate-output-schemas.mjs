// Writes a JSON Schema for each document that a command prints with --json into schemas/output/. The schemas allow unknown
// fields, because a later minor version of a document may add some, and readers should ignore them. With --check it writes
// nothing, and fails if a file differs.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatted } from "./formatted.mjs";
import { ROOT } from "./schemas.mjs";

const LIST = "lib/core/output-schema-names.ts";

const text = { type: "string" };
const number = { type: "number" };
const flag = { type: "boolean" };
const any = {};
const list = (items) => ({ type: "array", items });
const texts = list(text);
const object = (required, optional = {}) => ({
  type: "object",
  required: Object.keys(required),
  properties: { ...required, ...optional },
});
const about = (description, schema) => ({ description, ...schema });
const named = (name) => ({ $ref: `#/$defs/${name}` });

const action = { enum: ["create", "update", "replace", "delete", "adopt", "forget", "held", "no-op"] };
const path = about("The keys that lead to the field.", texts);
const exitCode = about("The exit code of this zone alone.", number);

const found = about(
  "A field: what was applied, what is live, and what the YAML declares; absent if there is none or it is unknown.",
  object({ path }, { cause: text, applied: any, live: any, declared: any, sensitive: flag }),
);
const unread = about(
  "Entry points that the token may not read: whether a rule there skips ours was not checked.",
  texts,
);
const evidence = {
  used_by: about("How many live hostnames use the object.", number),
  says: about("What Cloudflare says is wrong with it.", texts),
};
const hazards = about(
  "The worst first, with all addresses that have it.",
  list(object({ hazard: text, count: number, addresses: texts })),
);

/** What several documents have in common. */
const COMMON = {
  zone: object({ id: text, name: text }),
  position: object({ file: text, line: number, column: number }),
  diagnostic: object(
    {
      severity: { enum: ["error", "warning"] },
      code: about("`zoneform explain CODE` says more.", text),
      message: text,
    },
    { remedy: text, commands: texts, at: named("position"), address: text },
  ),
  failedZone: about(
    "A zone that could not be looked at.",
    object({ zone: named("zone"), exit_code: exitCode, at: named("position"), errors: list(named("diagnostic")) }),
  ),
  leaf: about(
    "A field. `prior` is what was applied, `before` what is live, `after` what the YAML declares; absent where there is none.",
    object({ path }, { cause: text, before: any, after: any, prior: any, sensitive: flag, origin: named("origin") }),
  ),
  origin: about(
    "Where the declared value is decided: `through` names the policy, exception, layer or source, and `until` is the last day of the exception.",
    object({ at: named("position") }, { through: text, until: text }),
  ),
  rule: object(
    { action: text, ref: text, title: text, cause: text, leaves: list(named("leaf")) },
    {
      from: number,
      to: number,
      at: named("position"),
      lost: about("The live rule that is removed.", { type: "object" }),
      foreign: flag,
    },
  ),
  foreignRule: about(
    "A foreign rule that lets traffic past ours, and that is newer or wider than at the last review.",
    object(
      { address: about("Of the entry point.", text), ref: text, position: number, does: text, hazards: texts },
      { project: about("The project that claims the rule.", text) },
    ),
  ),
  blocked: about(
    "Why a guard refuses the change.",
    object({ code: text, message: text, remedy: text }, { commands: texts }),
  ),
  cost: object({ calls: number, issuances: about("Certificates.", number), seconds: number }),
  counts: { type: "object", additionalProperties: number },
  certificate: object(
    {
      kind: text,
      id: text,
      hosts: texts,
      status: text,
      bundling: text,
      verification_errors: texts,
      validation_errors: texts,
    },
    { chosen_ca: text, issuing_ca: text, since: text, expires_on: text },
  ),
};

/** A zone of a document, or a zone that could not be read. */
const zones = (zone) => list({ anyOf: [zone, named("failedZone")] });

const change = object(
  {
    address: text,
    kind: text,
    key: text,
    action,
    cause: text,
    hazards: texts,
    leaves: list(named("leaf")),
    rules: list(named("rule")),
    let_go: about("Fields that are released.", list(path)),
    notes: texts,
    protect: flag,
    digest: text,
  },
  {
    reason: text,
    id: text,
    observed: list(object({ hazard: text, because: text })),
    dangers: about("What is dangerous about what somebody did to live since the last apply, worst first.", texts),
    held: object({ reason: text, leaves: list(named("leaf")) }, { goes_on_once: text }),
    refused: named("blocked"),
    live_keeps: about("What live keeps of the released fields, by path; secrets are left out.", { type: "object" }),
    moves_to: text,
    at: named("position"),
    since: about(
      "With `--since`: whether the change is by this branch or was pending before; if both, which fields and rules are.",
      object({ part: { enum: ["branch", "both", "pending"] } }, { branch: texts, pending: texts }),
    ),
  },
);

const fields = list(object({ path }, { planned: any, live: any, wanted: any, wanted_now: any, sensitive: flag }));

const ended = object(
  {
    address: text,
    action,
    status: { enum: ["done", "failed", "unknown", "unconfirmed", "conflict", "refused", "held", "not-started"] },
  },
  {
    updates: about("The object was adopted, and something was sent as well.", { const: true }),
    id: text,
    let_go: list(path),
    held_in_part: about("Why fields of it are held although the change is done.", text),
    note: text,
    reason: text,
    refused: named("blocked"),
    diagnostic: named("diagnostic"),
    fields,
    written: text,
  },
);

const stopped = object({ diagnostics: list(named("diagnostic")) });

const standing = [
  { zone: text, state: text, previous: text, new: text, reasons: texts, lostGroups: texts, lostRules: texts },
  {
    isCompatible: flag,
    terraform: list(object({ address: text, id: text, fate: { enum: ["dead", "dies"] }, remedy: text })),
  },
];

const unfinished = object({ runs: texts, addresses: texts });

/**
 * Every document: which command prints it, and its fields besides `format_version`.
 * @type {Record<string, [command: string, required: object, optional?: object]>}
 */
const DOCUMENTS = {
  validate: ["zoneform validate --json", { valid: flag, diagnostics: list(named("diagnostic")) }],
  plan: [
    "zoneform plan --json and zoneform show --json",
    {
      project: text,
      hash: text,
      cost: named("cost"),
      hazards,
      zones: zones(
        object(
          {
            zone: named("zone"),
            serial: number,
            counts: named("counts"),
            cost: named("cost"),
            changes: list(change),
            foreign_rules: list(named("foreignRule")),
            findings: list(named("diagnostic")),
            gone: about("Hostnames of the application that are gone: an apply drops them from the state.", texts),
          },
          { exit_code: exitCode, lineage: text },
        ),
      ),
    },
    {
      since: about(
        "What `--since` compared the plan with.",
        object({
          ref: about("The revision as it was named.", text),
          commit: about("The last commit that HEAD and the revision have in common.", text),
          is_behind: about("The revision has newer commits.", flag),
          is_new_project: about("The commit has no such project.", flag),
          counts: about(
            "How many changes are by this branch, were pending before, or both.",
            object({ branch: number, both: number, pending: number }),
          ),
          no_longer_planned: about("Addresses with a change that was pending before and is not in this plan.", texts),
        }),
      ),
    },
  ],
  run: [
    "zoneform apply --json, zoneform destroy --json and zoneform undo --json",
    {
      interrupted: flag,
      out_of_time: about("`--max-duration` was over before the last change.", flag),
      zones: list(
        object(
          { zone: named("zone"), can_be_undone: flag, counts: named("counts"), changes: list(ended) },
          {
            exit_code: exitCode,
            locked: text,
            locked_by: object(
              { id: text, who: text, process_id: number, operation: text, since: text },
              { run_url: text },
            ),
            stopped,
            unsaved: named("diagnostic"),
            lost_results: about(
              "How many results could not be stored, because the lock or the server of the states was lost. The next apply finds them out.",
              number,
            ),
          },
        ),
      ),
    },
    {
      run: about("The id of the run; absent where none was begun.", text),
      approval: object({
        hash: text,
        dropped: list(object({ address: text, because: { enum: ["applied", "gone", "undeclared"] } })),
        left_out: texts,
        taken_over: texts,
      }),
      stopped,
      resume: about("The command that goes on.", text),
      undo: about("The command that goes back.", text),
    },
  ],
  runs: [
    "zoneform undo --list --json",
    {
      runs: list(
        object(
          { run: text, zone: named("zone"), began: text, ended: text, changes: number },
          { operation: text, hash: text, approved: object({ by: text, how: text }) },
        ),
      ),
    },
  ],
  drift: [
    "zoneform drift --json",
    {
      project: text,
      against: { const: "state" },
      exit_code: number,
      hazards,
      zones: zones(
        object(
          {
            zone: named("zone"),
            serial: number,
            counts: named("counts"),
            drift: list(
              object(
                {
                  address: text,
                  kind: text,
                  key: text,
                  what: { enum: ["changed", "deleted", "replaced", "vanished"] },
                  hazards: texts,
                  leaves: list(found),
                  rules: list(
                    object(
                      { what: text, ref: text, title: text, cause: text, leaves: list(found) },
                      { from: number, to: number },
                    ),
                  ),
                },
                { id: text, held: text, ...evidence },
              ),
            ),
            foreign_rules: list(named("foreignRule")),
            entry_points_unread: unread,
            not_judged: texts,
            being_changed: list(object({ address: text }, { run: text, has_ended: flag })),
            adopted: list(object({ address: text, leaves: list(path), rules: texts })),
            untracked: texts,
            not_applied: texts,
            gone: about("Hostnames of the application that are gone. They are no drift.", texts),
            findings: list(named("diagnostic")),
          },
          { exit_code: exitCode, lineage: text, is_stopped: flag },
        ),
      ),
    },
    { target: texts, exclude: texts },
  ],
  "drift-against-config": [
    "zoneform drift --against config --json",
    {
      project: text,
      against: { const: "config" },
      exit_code: number,
      hazards,
      zones: zones(
        object(
          {
            zone: named("zone"),
            counts: named("counts"),
            differences: list(
              object(
                {
                  address: text,
                  kind: text,
                  what: { enum: ["missing", "different"] },
                  at: about("Where it is declared.", named("position")),
                  cause: text,
                  hazards: texts,
                  leaves: list(found),
                  rules: list(object({ what: text, ref: text, title: text, leaves: list(found) }, { at: number })),
                },
                { id: about("Absent for what is not live.", text), ...evidence },
              ),
            ),
            foreign_rules: list(named("foreignRule")),
            entry_points_unread: unread,
            unknown: named("counts"),
          },
          { exit_code: exitCode },
        ),
      ),
    },
  ],
  status: [
    "zoneform status --json",
    {
      exit_code: about("What `--detailed-exitcode` exits with.", number),
      hazards,
      zones: zones(
        object(
          {
            zone: named("zone"),
            live: number,
            by_status: named("counts"),
            held: list(object({ address: text, reason: text })),
            blocked: list(object({ hostname: text, verification_errors: texts })),
            moved: list(
              object({ hostname: text, first_seen_now: flag }, { first_seen_moved: text, deleted_at_the_latest: text }),
            ),
            deleted_by_service: texts,
            vanished: about("Hostnames that are gone, deleted by Cloudflare or by hand.", texts),
            gone: about("Hostnames of the application that are gone: an apply drops them from the state.", texts),
            expiring: list(object({ hostname: text, expires_on: text, is_over: flag })),
            needs_somebody: list(object({ subject: text, reason: text, said: texts, to_do: text })),
            under_way: number,
            dns_left: list(object({ hostname: text, status: text })),
            checks: list(object({ check: text, hostnames: texts })),
            foreign: number,
            foreign_rules: list(named("foreignRule")),
            entry_points_unread: unread,
            drifted: about("Objects that are not live as applied; without a state, not as the YAML says.", texts),
            dangers: about(
              "Where live is dangerously different from what was applied, or from the YAML where there is no state.",
              list(object({ address: text, what: text, hazards: texts })),
            ),
          },
          {
            exit_code: exitCode,
            lock: about(
              "Who holds the lock, or died with it: absent if nobody does, or the next run takes it by itself. `running`: it is known to live.",
              object({ running: flag, unfinished: number }, { who: text, operation: text, since: text }),
            ),
            unfinished,
            unanswered: unfinished,
            drift_check: about(
              "When a run last checked the whole zone for drift, as far as runs recorded it, and what it found.",
              object({
                at: text,
                serial: number,
                objects: number,
                fields: about("Managed fields that were judged.", number),
                fields_not_judged: number,
                being_changed: number,
                not_judged: number,
                drifted: number,
                vanished: number,
                foreign_rules: number,
                entry_points_unread: number,
              }),
            ),
            failed_drift_check: about(
              "A later check that failed: the codes of its errors.",
              object({ at: text, errors: texts }),
            ),
            fallback_origin: object(
              { status: text, errors: texts, hostnames: number },
              { origin: text, record: text, resolves: text },
            ),
            custom_origins: about(
              "Origins of hostnames whose name lies in the zone. `record`: `found`, `missing`, or `unreadable`.",
              list(object({ origin: text, record: text, hostnames: number })),
            ),
            standalone_zones: about(
              "Wildcard hostnames whose domain is a zone of its own, of those zones that the token can read: error 1016.",
              object(
                { wildcards: number, overruled: list(object({ hostname: text, zone: text })) },
                { zones_compared: about("Absent if the token may not list zones.", number) },
              ),
            ),
          },
        ),
      ),
    },
  ],
  why: [
    "zoneform why --json",
    {
      address: text,
      action,
      leaves: list(
        object(
          { path },
          {
            wanted: about("What the YAML declares.", any),
            applied: any,
            live: any,
            sent: about("What an apply would send.", any),
            cause: text,
            held: text,
            at: about("Where the YAML says so.", named("position")),
            through: about("The policy, source or layer that it comes through.", text),
            sensitive: flag,
          },
        ),
      ),
      rules: list(named("rule")),
      notes: texts,
    },
    { reason: text, import_id: text, refused: named("blocked") },
  ],
  waf: ["zoneform waf status --json and zoneform waf check --json", { zones: list(object(...standing)) }],
  "waf-preview": [
    "zoneform waf preview --json",
    {
      zones: list(
        object(
          {
            ...standing[0],
            derived: list({ type: "object" }),
            notes: texts,
            rulesets: list(object({ name: text, version: text, description: text })),
          },
          { ...standing[1], declared: list(named("rule")) },
        ),
      ),
    },
  ],
  explain: [
    "zoneform explain --json",
    { explanations: list(object({ code: text, of: text, cause: text, remedy: text })) },
  ],
  import: ["zoneform import --json", { address: text, import_id: text }, { declared_in: text }],
  "state-list": [
    "zoneform state list --json",
    {
      zones: list(
        object(
          {
            zone: named("zone"),
            objects: list(
              object({ address: text, kind: text, key: text, id: text }, { protect: flag, last_seen: text }),
            ),
          },
          { lineage: text, serial: number },
        ),
      ),
    },
  ],
  "state-show": [
    "zoneform state show --json",
    {
      kind: text,
      key: text,
      id: text,
      applied: about("The managed fields as last applied; secrets as fingerprints.", { type: "object" }),
    },
    {
      by: about("The run that last applied each field or rule; under the empty name that of all others.", {
        type: "object",
      }),
      import_id: text,
      protect: flag,
      seen: object({ status: text, at: text }),
      observed: list(any),
      undeclared: flag,
      pending: text,
      since: text,
      asked: text,
      unanswered: { type: "object" },
    },
  ],
  "state-doctor": [
    "zoneform state doctor --json",
    {
      zones: list(object({ zone: named("zone"), facts: texts, gone: texts, findings: list(named("diagnostic")) })),
    },
  ],
  "state-lock": [
    "zoneform state lock --json",
    {
      zones: list(
        object(
          { zone: named("zone"), held: flag },
          {
            lock: object(
              {},
              {
                id: about(
                  "What zoneform state unlock takes; absent if the server does not say who holds the lock.",
                  text,
                ),
                unlock: about("The command that frees the lock; absent if only the server itself can free it.", text),
                alive: about("Whether the process is known to live; absent if that cannot be told from here.", flag),
                who: text,
                process_id: number,
                operation: text,
                since: text,
                age_seconds: number,
                run_url: about("The page of the CI run.", text),
              },
            ),
          },
        ),
      ),
    },
  ],
  "hostname-list": [
    "zoneform hostname list --json",
    {
      zones: zones(
        object({
          zone: named("zone"),
          hostnames: list(
            object(
              { hostname: text, id: text, verification_errors: texts, validation_errors: texts },
              { status: text, ssl_status: text, certificate_authority: text, expires_on: text, created_at: text },
            ),
          ),
        }),
      ),
    },
  ],
  "hostname-todo": [
    "zoneform hostname todo --json",
    {
      zones: zones(
        object({
          zone: named("zone"),
          hostnames: list(
            object(
              {
                hostname: text,
                status: text,
                said: texts,
                records: list(
                  object({
                    purpose: { enum: ["traffic", "ownership", "certificate"] },
                    need: { enum: ["required", "alternative", "remove"] },
                    type: text,
                    name: text,
                    value: text,
                  }),
                ),
              },
              { ssl_status: text },
            ),
          ),
        }),
      ),
    },
  ],
  "hostname-revalidate": [
    "zoneform hostname revalidate --json and zoneform hostname retry --json",
    {
      hostnames: list(
        object(
          { hostname: text, zone: named("zone"), result: { enum: ["done", "left", "failed", "not-started"] } },
          {
            status: about("The hostname as it is now.", { type: "object" }),
            reason: text,
            diagnostic: named("diagnostic"),
          },
        ),
      ),
    },
  ],
  certificates: [
    "zoneform certificates list --json and zoneform certificates search --json",
    { zones: zones(object({ zone: named("zone"), certificates: list(named("certificate")) })) },
  ],
  "ca-audit": [
    "zoneform ca audit --json",
    {
      at: about("The date that was asked about.", text),
      zones: zones(
        object({
          zone: named("zone"),
          certificates: list({
            ...COMMON.certificate,
            required: [...COMMON.certificate.required, "chain", "service", "warning"],
            properties: { ...COMMON.certificate.properties, chain: text, service: text, owner: text, warning: flag },
          }),
        }),
      ),
    },
  ],
  purge: [
    "zoneform purge --json",
    {
      purges: list(
        object(
          { zone: named("zone"), hosts: texts, result: { enum: ["done", "failed", "not-started"] } },
          { diagnostic: named("diagnostic") },
        ),
      ),
    },
  ],
};

const VERSION = about(
  "`zoneform/` and two numbers: the minor one rises with fields that are added, the major one with any other change.",
  { type: "string", pattern: "^zoneform/[0-9]+\\.[0-9]+$" },
);

const isCheck = process.argv.includes("--check");
mkdirSync(join(ROOT, "schemas/output"), { recursive: true });
for (const [name, [command, required, optional]] of Object.entries(DOCUMENTS)) {
  const body = object({ format_version: VERSION, ...required }, optional);
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: `urn:zoneform:schema:output-${name}`,
    title: `Output: ${name}`,
    description: `What ${command} prints.`,
    ...body,
    $defs: definitionsOf(body),
  };
  put(`schemas/output/${name}.schema.json`, formatted(`${name}.schema.json`, JSON.stringify(schema, undefined, 2)));
}
put(LIST, formatted("output-schema-names.ts", listOfNames()));

/** The common parts that a schema refers to, directly or through other parts. */
function definitionsOf(body, found = {}) {
  for (const [, name] of JSON.stringify(body).matchAll(/#\/\$defs\/(\w+)/g)) {
    if (name in found) continue;
    found[name] = COMMON[name];
    definitionsOf(COMMON[name], found);
  }
  return Object.fromEntries(Object.entries(found).sort(([left], [right]) => (left < right ? -1 : 1)));
}

function listOfNames() {
  return `// Generated by .ci/generate-output-schemas.mjs; do not edit.

/** The documents that commands print with --json, as \`zoneform schema output-NAME\` takes them. */
export const OUTPUT_SCHEMA_NAMES = ${JSON.stringify(Object.keys(DOCUMENTS))} as const;
`;
}

function put(path, content) {
  if (!isCheck) {
    writeFileSync(join(ROOT, path), content);
    return;
  }
  let current;
  try {
    current = readFileSync(join(ROOT, path), "utf8");
  } catch {}
  if (current === content) return;
  console.error(`${path} does not match .ci/generate-output-schemas.mjs; run npm run generate`);
  process.exitCode = 1;
}

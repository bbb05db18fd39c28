// All tables of zoneform's own codes, one per line. They define the codes of a diagnostic (diagnostic.ts) and what
// `explain` says (problem.ts). A code that only one kind raises is in that kind's folder.
export { APPROVALS } from "./codes/approvals.ts";
export { CALLS } from "./codes/calls.ts";
export { COMMANDS } from "./codes/commands.ts";
export { CONFLICTS } from "./codes/conflicts.ts";
export { DNS } from "./codes/dns.ts";
export { FINDINGS } from "./codes/findings.ts";
export { GUARDS } from "./codes/guards.ts";
export { PROJECT } from "./codes/project.ts";
export { RUNS } from "./codes/runs.ts";
export { SECRETS } from "./codes/secrets.ts";
export { SOURCES } from "./codes/sources.ts";
export { STATES } from "./codes/states.ts";
export { TRACKING } from "./codes/tracking.ts";
export { VALUES } from "./codes/values.ts";
export { YAML } from "./codes/yaml.ts";

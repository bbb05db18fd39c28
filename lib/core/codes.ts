// All tables of zoneform's own codes. They define the codes of a diagnostic (diagnostic-code.ts), and diagnostic.ts takes
// the texts of messages and of `explain` from them. A code that only one kind raises is in that kind's folder.
export { COMMANDS, SECRETS } from "./codes/commands.ts";
export { FINDINGS } from "./codes/findings.ts";
export { APPROVALS, CONFLICTS, GUARDS, RUNS } from "./codes/plans.ts";
export { PROJECT, SOURCES } from "./codes/project.ts";
export { CALLS, DNS } from "./codes/service.ts";
export { STATES } from "./codes/states.ts";
export { TRACKING } from "./codes/tracking.ts";
export { VALUES, YAML } from "./codes/yaml.ts";

/** Which source the emulator follows where the description and the public documentation differ (docs/service-coverage.md#choices). */
export type BehaviourName = "described" | "public";

/** The differences between the two as data: the rows of docs/service-coverage.md#choices. */
export interface Behaviour {
  readonly name: BehaviourName;
  /** Row 1: HTTP status of a successful POST of a custom hostname. */
  readonly createStatus: 200 | 201;
  /** Row 1: HTTP status of a successful PATCH of a custom hostname. */
  readonly editStatus: 200 | 202;
  /** Row 2: a blocked hostname becomes active by itself, once verified, after the hold is released. */
  readonly blockedRecovers: boolean;
  /** Row 3: a PATCH of a moved hostname whose DNS points at the zone answers `active`. */
  readonly movedRestartsActive: boolean;
  /** Row 4: CAA records that block the CA also set the hostname's status. */
  readonly caaErrorStatus: boolean;
  /** Row 6: the calls for URI-based WAF overrides answer 410, even before the migration. */
  readonly overridesGone: boolean;
  /** Row 7: choosing a CA needs the Enterprise plan. */
  readonly chosenAuthorityNeedsEnterprise: boolean;
  /** Row 8: branding is also read at the top level of the creation body. */
  readonly brandingAtTopLevel: boolean;
  /** Row 10: the largest page of custom hostnames. */
  readonly hostnamePageSize: 50 | 1000;
  /** Row 11: what happens to a hostname after 75 failed tries. */
  readonly exhausted: "moved" | "deleted";
  /** Wildcards, custom metadata and uploaded certificates need Enterprise (docs/service.md#limits-by-plan); the description has no such rule. */
  readonly enterpriseFeatures: boolean;
}

const DESCRIBED: Behaviour = {
  name: "described",
  createStatus: 200,
  editStatus: 200,
  blockedRecovers: true,
  movedRestartsActive: true,
  caaErrorStatus: true,
  overridesGone: false,
  chosenAuthorityNeedsEnterprise: false,
  brandingAtTopLevel: true,
  hostnamePageSize: 1000,
  exhausted: "moved",
  enterpriseFeatures: false,
};

const PUBLIC: Behaviour = {
  name: "public",
  createStatus: 201,
  editStatus: 202,
  blockedRecovers: false,
  movedRestartsActive: false,
  caaErrorStatus: false,
  overridesGone: true,
  chosenAuthorityNeedsEnterprise: true,
  brandingAtTopLevel: false,
  hostnamePageSize: 50,
  exhausted: "deleted",
  enterpriseFeatures: true,
};

/** The behaviour of that name. */
export function behaviourOf(name: BehaviourName): Behaviour {
  return name === "described" ? DESCRIBED : PUBLIC;
}

import { getKind } from "@cloudwright/contract";
import { matchesSelector, type Change, type LabelRequirement } from "@cloudwright/store";

/** Which changes a watcher may see and has requested. */
export interface Audience {
  readonly project: string;
  /** Undefined: all kinds. */
  readonly kind: string | undefined;
  readonly parentUid: string | undefined;
  readonly labels: readonly LabelRequirement[];
  /** Only entities of these environments. Undefined: all. */
  readonly environments: readonly string[] | undefined;
  /** Only entities (projects) with these names. Undefined: all. */
  readonly names: readonly string[] | undefined;
}

type Facts = Pick<Change, "kind" | "parentUid">;
type Place = Pick<Change, "environment" | "labels">;

/** How a change appears to an audience. LEFT is sent as DELETED: the audience can no longer see the entity. */
export type Meaning = Change["type"] | "LEFT";

/** Returns how a change appears to this audience. Undefined if it does not concern the audience. */
export function typeFor(audience: Audience, change: Change): Meaning | undefined {
  if (!mayFollow(audience, change)) return undefined;
  if (audience.labels.length === 0 && audience.environments === undefined) return change.type;
  const sees = holds(audience, change);
  if (change.type !== "MODIFIED") return sees ? change.type : undefined;
  const saw = change.oldLabels !== null && holds(audience, { labels: change.oldLabels, environment: change.oldEnvironment });
  if (sees) return saw ? "MODIFIED" : "ADDED";
  if (!saw) return undefined;
  return reaches(audience, change.environment) ? "DELETED" : "LEFT";
}

/** Returns whether an existing entity is visible to the audience. */
export function includesEntity(audience: Audience, entity: Facts & Place & { name: string }): boolean {
  return matchesFacts(audience, entity) && (audience.names?.includes(entity.name) ?? true) && holds(audience, entity);
}

function mayFollow(audience: Audience, change: Change): boolean {
  if (audience.names !== undefined && !audience.names.includes(change.project)) return false;
  // Changes of a global entity may belong to a project: a project's own changes carry its name.
  const isGlobal = audience.project === "" && audience.kind !== undefined && getKind(audience.kind).scope === "global";
  if (audience.project !== change.project && !isGlobal) return false;
  return matchesFacts(audience, change);
}

function matchesFacts(audience: Audience, facts: Facts): boolean {
  if (audience.kind !== undefined && audience.kind !== facts.kind) return false;
  return audience.parentUid === undefined || audience.parentUid === facts.parentUid;
}

function holds(audience: Audience, { environment, labels }: Place): boolean {
  return reaches(audience, environment) && matchesSelector(audience.labels, labels);
}

function reaches(audience: Audience, environment: string): boolean {
  return audience.environments?.includes(environment) ?? true;
}

import { getKind } from "@cloudwright/contract";
import { matchesSelector, type Change, type LabelRequirement } from "@cloudwright/store";

/** The changes that a watcher has requested and may see. */
export interface Audience {
  readonly project: string;
  /** Undefined means all kinds. */
  readonly kind: string | undefined;
  readonly parentUid: string | undefined;
  readonly labels: readonly LabelRequirement[];
  /** If set, only entities in these environments are visible. */
  readonly environments: readonly string[] | undefined;
  /** If set, only projects with these names are visible. */
  readonly names: readonly string[] | undefined;
}

type Facts = Pick<Change, "kind" | "parentUid">;
type Place = Pick<Change, "environment" | "labels">;

/** How a change appears to an audience. LEFT means that the audience can no longer see the entity; clients receive it as DELETED. */
export type Meaning = Change["type"] | "LEFT";

/** Returns how a change appears to an audience, or undefined if the audience does not see it. */
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

/** Returns whether an existing entity is visible to an audience. */
export function includesEntity(audience: Audience, entity: Facts & Place & { name: string }): boolean {
  return matchesFacts(audience, entity) && (audience.names?.includes(entity.name) ?? true) && holds(audience, entity);
}

function mayFollow(audience: Audience, change: Change): boolean {
  if (audience.names !== undefined && !audience.names.includes(change.project)) return false;
  // Changes to global entities can carry a project. For example, a project's own changes carry the project's name.
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

import { getKind } from "@cloudwright/contract";
import { matchesSelector, type Change, type LabelRequirement } from "@cloudwright/store";

/** Which changes a watcher may and wants to see. */
export interface Audience {
  readonly project: string;
  /** undefined for all kinds. */
  readonly kind: string | undefined;
  readonly parentUid: string | undefined;
  readonly labels: readonly LabelRequirement[];
  /** Only entities of these environments; undefined for all. */
  readonly environments: readonly string[] | undefined;
  /** Only entities of these names (projects); undefined for all. */
  readonly names: readonly string[] | undefined;
}

type Facts = Pick<Change, "kind" | "parentUid">;
type Place = Pick<Change, "environment" | "labels">;

/** What a change is to an audience. LEFT goes out as DELETED: the entity is now where this audience may not see it. */
export type Meaning = Change["type"] | "LEFT";

/** What a change is to this audience: undefined when it is nothing. */
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

/** Whether an entity that exists belongs to the audience. */
export function includesEntity(audience: Audience, entity: Facts & Place & { name: string }): boolean {
  return matchesFacts(audience, entity) && (audience.names?.includes(entity.name) ?? true) && holds(audience, entity);
}

function mayFollow(audience: Audience, change: Change): boolean {
  if (audience.names !== undefined && !audience.names.includes(change.project)) return false;
  // The changes of a global entity may belong to a project: a project's own changes carry its name.
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

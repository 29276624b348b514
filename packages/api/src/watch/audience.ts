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

type Facts = Pick<Change, "kind" | "parentUid" | "environment" | "labels">;

/** What a change is to this audience: undefined when it is nothing. */
export function typeFor(audience: Audience, change: Change): Change["type"] | undefined {
  if (!mayFollow(audience, change)) return undefined;
  const { labels } = audience;
  if (labels.length === 0) return change.type;
  const now = matchesSelector(labels, change.labels);
  const before = change.oldLabels !== null && matchesSelector(labels, change.oldLabels);
  if (change.type === "MODIFIED") return now ? (before ? "MODIFIED" : "ADDED") : before ? "DELETED" : undefined;
  return now ? change.type : undefined;
}

/** Whether an entity that exists belongs to the audience. */
export function includesEntity(audience: Audience, entity: Facts & { name: string }): boolean {
  return (
    matchesFacts(audience, entity) &&
    (audience.names?.includes(entity.name) ?? true) &&
    matchesSelector(audience.labels, entity.labels)
  );
}

function mayFollow(audience: Audience, change: Change): boolean {
  if (audience.names !== undefined && !audience.names.includes(change.project)) return false;
  // Projects are listed nowhere but carry their own name as the project of their changes.
  if (audience.project !== change.project && !(audience.project === "" && change.kind === "Project")) return false;
  return matchesFacts(audience, change);
}

function matchesFacts(audience: Audience, facts: Facts): boolean {
  if (audience.kind !== undefined && audience.kind !== facts.kind) return false;
  if (audience.parentUid !== undefined && audience.parentUid !== facts.parentUid) return false;
  return audience.environments?.includes(facts.environment) ?? true;
}

import type { AccountView } from "@cloudwright/clouds";
import type { TaskKind } from "@cloudwright/contract";
import type { CloudFacts } from "@cloudwright/contract/clouds";
import type { NetworkSpec } from "@cloudwright/contract/gen/cloudwright/v1/network_pb.ts";
import type { FieldViolation } from "@cloudwright/platform";
import type { DeployedEntity, DeployerTask, Surroundings } from "../task.ts";

/** A problem that prevents an entity from being built, or a warning. */
export type Finding = FieldViolation & {
  /** `must` blocks the build, `should` only warns. Default: `must`. */
  readonly severity?: "must" | "should";
};

/** The input of a preflight check. */
export interface Question<Kind extends TaskKind = TaskKind> {
  readonly cloud: CloudFacts;
  readonly view: AccountView;
  readonly entity: DeployedEntity<Kind>;
  readonly around: Surroundings;
  readonly region: string;
  /** The target version of an upgrade that spans several minor versions. The entity's spec names only the next version. */
  readonly finalVersion: string | undefined;
}

/** Runs one preflight check. Returns an empty list if it passes. */
export type Check<Kind extends TaskKind = TaskKind> = (question: Question<Kind>) => Promise<readonly Finding[]>;

/** The checks of one cloud, keyed by service. */
export interface PreflightChecks {
  readonly network?: readonly Check<"Network">[];
  readonly cluster?: readonly Check<"Cluster">[];
  readonly storage?: readonly Check<"Storage">[];
  readonly instance?: readonly Check<"Instance">[];
  readonly securitygroup?: readonly Check<"SecurityGroup">[];
  readonly volume?: readonly Check<"Volume">[];
  readonly volumesnapshot?: readonly Check<"VolumeSnapshot">[];
}

/** Returns the checks of a service. The cast is safe, because all tasks of a service have entities of the same kind. */
export function findChecks(checks: PreflightChecks, service: string): readonly Check[] | undefined {
  return (checks as unknown as Readonly<Record<string, readonly Check[] | undefined>>)[service];
}

/** Returns the full names of a network's zones, or of the cloud's default zones if the spec does not name any. */
export function zonesOf({ zones }: NetworkSpec, { cloud, region }: Pick<Question, "cloud" | "region">): string[] {
  const { defaultZones, findDefaultZones, renderZone } = cloud.regions;
  const chosen = zones.length > 0 ? zones : (findDefaultZones?.(region) ?? defaultZones);
  return chosen.map((zone) => renderZone(region, zone));
}

/** Machines of the same type that a cluster needs. */
export interface WantedMachines {
  /** Path of the spec field that requests the machines. */
  readonly field: string;
  readonly type: string;
  readonly count: number;
  readonly zones: readonly string[];
  readonly isSpot: boolean;
}

const defaultWorkers = 2;

/** Returns the machines that a cluster needs for its own workers and its node pools. */
export function machinesOf({
  entity,
  around,
  cloud,
  region,
}: Pick<Question<"Cluster">, "entity" | "around" | "cloud" | "region">): WantedMachines[] {
  const { workers, instanceType } = entity.spec;
  const standard = instanceType || cloud.machines.defaultType;
  const hasOwn = workers !== undefined || around.nodePools.length === 0;
  const own = { type: standard, count: workers ?? defaultWorkers, zones: [], isSpot: false };
  const pools = around.nodePools.flatMap(({ name, spec: pool }) => {
    const zones = pool.zones.map((zone) => cloud.regions.renderZone(region, zone));
    const machines = { count: Math.max(pool.desired, pool.min), zones, isSpot: pool.capacity === "spot" };
    const [first = pool.instanceType || standard, ...others] = pool.instanceTypes;
    const field = `nodePools.${name}.${pool.instanceTypes.length > 0 ? "instanceTypes" : "instanceType"}`;
    // The cloud chooses one of the types. Only the first counts against quotas, but all of them must exist.
    return [{ field, type: first, ...machines }, ...others.map((type) => ({ field, type, ...machines, count: 0 }))];
  });
  return [...(hasOwn ? [{ field: "spec.instanceType", ...own }] : []), ...pools];
}

/** Creates the input for the checks from a task. */
export function askAbout(
  { payload }: Pick<DeployerTask, "payload">,
  place: Pick<Question, "cloud" | "view" | "region">,
): Question {
  return { ...place, entity: payload.entity, around: payload, finalVersion: payload.finalVersion };
}

import type { AccountView } from "@cloudwright/clouds";
import type { CloudFacts } from "@cloudwright/contract/clouds";
import type { FieldViolation } from "@cloudwright/platform";
import { numberOf, objectOf, textOf, textsOf } from "../read-spec.ts";
import type { DeployedEntity, DeployerTask, Surroundings } from "../task.ts";

/** A reason why an entity cannot be built, or a warning about it. */
export type Finding = FieldViolation & {
  /** `must` stops the work, `should` warns. Default: must. */
  readonly severity?: "must" | "should";
};

/** What a check examines. */
export interface Question {
  readonly cloud: CloudFacts;
  readonly view: AccountView;
  readonly entity: DeployedEntity;
  readonly around: Surroundings;
  readonly region: string;
  /** The version at the end of an upgrade over several minors; the entity's own version is only the next one. */
  readonly finalVersion: string | undefined;
}

/** Examines one aspect. Returns no findings if nothing is wrong. */
export type Check = (question: Question) => Promise<readonly Finding[]>;

/** The checks of one cloud, by service. */
export type PreflightChecks = Readonly<Record<string, readonly Check[]>>;

/** Returns the full names of a network's zones, or the cloud's default zones if its spec names none. */
export function zonesOf({ spec }: Pick<DeployedEntity, "spec">, { cloud, region }: Pick<Question, "cloud" | "region">): string[] {
  const zones = textsOf(spec["zones"]);
  const { defaultZones, renderZone } = cloud.regions;
  return (zones.length > 0 ? zones : defaultZones).map((zone) => renderZone(region, zone));
}

/** Machines of one kind that a cluster needs. */
export interface WantedMachines {
  /** The field of the spec that says so. */
  readonly field: string;
  readonly types: readonly string[];
  readonly count: number;
  readonly zones: readonly string[];
  readonly isSpot: boolean;
}

const defaultWorkers = 2;

/** Returns the machines of a cluster: those of its own workers and of its node pools. */
export function machinesOf({
  entity,
  around,
  cloud,
  region,
}: Pick<Question, "entity" | "around" | "cloud" | "region">): WantedMachines[] {
  const { spec } = entity;
  const { workers } = spec;
  const standard = textOf(spec["instanceType"]) || cloud.machines.defaultType;
  const hasOwn = typeof workers === "number" || around.nodePools.length === 0;
  const own = { types: [standard], count: typeof workers === "number" ? workers : defaultWorkers, zones: [], isSpot: false };
  const pools = around.nodePools.map(({ name, spec: pool }) => {
    const listed = textsOf(pool["instanceTypes"]);
    return {
      field: `nodePools.${name}.instanceType`,
      types: listed.length > 0 ? listed : [textOf(pool["instanceType"]) || standard],
      count: Math.max(numberOf(pool["desired"]), numberOf(pool["min"])),
      zones: textsOf(pool["zones"]).map((zone) => cloud.regions.renderZone(region, zone)),
      isSpot: textOf(pool["capacity"]) === "spot",
    };
  });
  return [...(hasOwn ? [{ field: "spec.instanceType", ...own }] : []), ...pools];
}

/** Returns whether a network existed before and is only used. */
export function isExisting({ spec }: Pick<DeployedEntity, "spec">): boolean {
  return Object.keys(objectOf(spec["existing"])).length > 0;
}

/** Returns the question that a task asks. */
export function askAbout(
  { payload }: Pick<DeployerTask, "payload">,
  place: Pick<Question, "cloud" | "view" | "region">,
): Question {
  return { ...place, entity: payload.entity, around: payload, finalVersion: payload.finalVersion };
}

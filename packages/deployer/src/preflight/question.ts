import type { AwsView } from "@cloudwright/clouds";
import type { FieldViolation } from "@cloudwright/platform";
import { numberOf, objectOf, textOf, textsOf } from "../read-spec.ts";
import type { DeployedEntity, DeployerTask, Surroundings } from "../task.ts";

/** What would keep an entity from being built. */
export type Finding = FieldViolation;

/** What checks are asked about. */
export interface Question {
  readonly view: AwsView;
  readonly entity: DeployedEntity;
  readonly around: Surroundings;
  readonly region: string;
  /** The version at the end of the way, where the entity's is only the next. */
  readonly finalVersion: string | undefined;
}

/** Looks at one thing; finds nothing where there is nothing to be said. */
export type Check = (question: Question) => Promise<readonly Finding[]>;

/** The zones that a network spreads over, by their full names; three where it does not say. */
export function zonesOf({ spec }: Pick<DeployedEntity, "spec">, region: string): string[] {
  const zones = textsOf(spec["zones"]);
  return (zones.length > 0 ? zones : ["a", "b", "c"]).map((zone) => (/^[a-z]$/.test(zone) ? region + zone : zone));
}

/** Machines of one kind that a cluster asks for. */
export interface WantedMachines {
  /** Where the spec says so. */
  readonly field: string;
  readonly types: readonly string[];
  readonly count: number;
  readonly zones: readonly string[];
  readonly isSpot: boolean;
}

const defaultWorkers = 2;
const defaultInstanceType = "t3.medium";

/** The machines of a cluster: those of its own workers and of its pools. */
export function machinesOf(entity: DeployedEntity, { nodePools }: Surroundings, region: string): WantedMachines[] {
  const { spec } = entity;
  const { workers } = spec;
  const standard = textOf(spec["instanceType"]) || defaultInstanceType;
  const hasOwn = typeof workers === "number" || nodePools.length === 0;
  const own = { types: [standard], count: typeof workers === "number" ? workers : defaultWorkers, zones: [], isSpot: false };
  const pools = nodePools.map(({ name, spec: pool }) => {
    const listed = textsOf(pool["instanceTypes"]);
    return {
      field: `nodePools.${name}.instanceType`,
      types: listed.length > 0 ? listed : [textOf(pool["instanceType"]) || standard],
      count: Math.max(numberOf(pool["desired"]), numberOf(pool["min"])),
      zones: textsOf(pool["zones"]).map((zone) => (/^[a-z]$/.test(zone) ? region + zone : zone)),
      isSpot: textOf(pool["capacity"]) === "spot",
    };
  });
  return [...(hasOwn ? [{ field: "spec.instanceType", ...own }] : []), ...pools];
}

/** How AWS is told to call what has to have a name of its own: the name and the end of the uid, as in the configurations. */
export function cloudNameOf({ name, uid }: Pick<DeployedEntity, "name" | "uid">, longest: number, fromUid: number): string {
  return `${name.slice(0, longest).replace(/-$/, "")}-${uid.replaceAll("-", "").slice(-fromUid)}`;
}

/** Whether a network is one that exists already. */
export function isExisting({ spec }: Pick<DeployedEntity, "spec">): boolean {
  return Object.keys(objectOf(spec["existing"])).length > 0;
}

/** The task's question. */
export function askAbout({ payload }: Pick<DeployerTask, "payload">, view: AwsView, region: string): Question {
  return { view, entity: payload.entity, around: payload, region, finalVersion: payload.finalVersion };
}

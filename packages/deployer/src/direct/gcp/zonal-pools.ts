import { Fault } from "@cloudwright/platform";
import { createHash } from "node:crypto";
import { deployerFaults } from "../../faults.ts";
import { getPlace } from "../../kubernetes/gcp/desired.ts";
import { gcpOf } from "../../kubernetes/gcp/gcp-of.ts";
import { renderNodePools } from "../../kubernetes/gcp/node-pools.ts";
import { objectOf, textOf, textsOf } from "../../read-spec.ts";
import type { DeployedEntity, JsonObject, Surroundings } from "../../task.ts";

/** Node label that contains the name of the platform's node pool. */
export const poolLabel = "cloudwright.dev/pool";

/** Name of the pool from the cluster's own spec. */
export const defaultPool = "default";

/** The GKE node pool that contains a node pool's nodes in one zone. */
export interface ZonalPool {
  /** Name of the pool and last letter of the zone, such as `default/b`. */
  readonly key: string;
  readonly pool: string;
  readonly zone: string;
  /** Name of the desired resource. */
  readonly resource: string;
  /** Name of the GKE node pool. It ends with `hash`. */
  readonly name: string;
  /** Hash of the settings that GKE cannot change. */
  readonly hash: string;
  /** Minimum, desired and maximum number of nodes in this zone. */
  readonly min: number;
  readonly desired: number;
  readonly max: number;
  readonly settings: JsonObject;
}

/**
 * Lists the GKE node pools of a cluster. A GKE node pool has the same number of nodes in each of its zones, so each of the platform's
 * pools consists of one GKE node pool per zone. Names and sizes are the same as in the Terraform configuration.
 */
export function listZonalPools(entity: DeployedEntity<"Cluster">, around: Surroundings): readonly ZonalPool[] {
  const place = getPlace(entity, around);
  const usual = place.zone === null ? place.zones : [place.zone];
  const { nodeServiceAccount } = gcpOf(entity.spec);
  return Object.entries(renderNodePools(entity, around, place.region)).flatMap(([pool, value]) => {
    const settings = objectOf(value);
    const own = textsOf(settings["zones"]);
    const zones = [...new Set(own.length > 0 ? own : usual)].toSorted();
    if (zones.length === 0) {
      const message = `the node pool "${pool}" of ${entity.name} has no zones; set zones of the pool or of the network`;
      throw new Fault(deployerFaults.bad_spec, message);
    }
    const fixed = [pool, settings["capacity"] ?? "", nodeServiceAccount, settings["secure_boot"] ?? true];
    const hash = createHash("sha1").update(JSON.stringify(fixed)).digest("hex").slice(0, 6);
    return zones.map((zone, index): ZonalPool => {
      const share = (size: string): number => {
        const total = Number(settings[size] ?? 0);
        return Math.floor(total / zones.length) + (index < total % zones.length ? 1 : 0);
      };
      const letter = zone.slice(-1);
      return {
        key: `${pool}/${letter}`,
        pool,
        zone,
        resource: `${pool}-${letter}`,
        name: `${pool.slice(0, 30).replace(/-$/, "")}-${letter}-${hash}`,
        hash,
        min: share("min"),
        desired: share("desired"),
        max: share("max"),
        settings,
      };
    });
  });
}

/** Returns the name of the platform's pool that a desired resource belongs to. */
export function poolOf(resource: string): string {
  return textOf(resource).replace(/-[^-]*$/, "");
}

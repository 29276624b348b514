import type { CloudPart, PartsOptions } from "../../library/parts.ts";
import { createGcpContext } from "../library/context.ts";
import type { GcpLibraryOptions } from "../library/options.ts";
import { createAttachedDiskPart } from "./compute-attached-disk.ts";
import { createDiskPart } from "./compute-disk.ts";
import { createFirewallPart } from "./compute-firewall.ts";
import { createInstancePart } from "./compute-instance.ts";
import { createClusterPart } from "./container-cluster.ts";
import { createNodePoolPart } from "./container-node-pool.ts";

/** The parts of one project, keyed by Terraform's resource type. */
export interface GcpParts {
  /** Ordered so that each type comes before the types that refer to it. */
  readonly parts: ReadonlyMap<string, CloudPart>;
}

/** Creates the parts that manage an entity's Google Cloud resources. Does not load Google's library and sends no requests. */
export function createGcpParts(options: GcpLibraryOptions & PartsOptions): GcpParts {
  const context = createGcpContext(options);
  const scope = { entityUid: options.entityUid };
  const makers = [
    createClusterPart,
    createNodePoolPart,
    createFirewallPart,
    createInstancePart,
    createDiskPart,
    createAttachedDiskPart,
  ];
  return { parts: new Map(makers.map((make) => make(context, scope)).map((part) => [part.name, part])) };
}

import type { CloudPart, PartsOptions } from "../../library/parts.ts";
import { createAwsContext } from "../library/context.ts";
import type { AwsLibraryOptions } from "../library/options.ts";
import { createAccessEntryPart } from "./eks-access-entry.ts";
import { createClusterPart } from "./eks-cluster.ts";
import { createNodeGroupPart } from "./eks-node-group.ts";
import { createRolePart } from "./iam-role.ts";
import { createInstancePart } from "./instance.ts";
import { createSecurityGroupPart } from "./security-group.ts";
import { createVolumePart } from "./volume.ts";

/** The parts of one region, keyed by Terraform's resource type. */
export interface AwsParts {
  /** Ordered so that each type comes before the types that refer to it. */
  readonly parts: ReadonlyMap<string, CloudPart>;
  close(): void;
}

/** Creates the parts that manage an entity's AWS resources. Loads no SDK and sends no requests. */
export function createAwsParts(options: AwsLibraryOptions & PartsOptions): AwsParts {
  const context = createAwsContext(options);
  const scope = { entityUid: options.entityUid, region: options.region };
  const makers = [
    createRolePart,
    createClusterPart,
    createAccessEntryPart,
    createNodeGroupPart,
    createSecurityGroupPart,
    createInstancePart,
    createVolumePart,
  ];
  return {
    parts: new Map(makers.map((make) => make(context, scope)).map((part) => [part.name, part])),
    close: () => context.close(),
  };
}

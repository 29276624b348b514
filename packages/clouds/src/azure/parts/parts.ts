import type { CloudPart, PartsOptions } from "../../library/parts.ts";
import { createAzureContext } from "../library/context.ts";
import type { AzureLibraryOptions } from "../library/options.ts";
import { createApplicationGroupPart } from "./application-group.ts";
import { createAttachmentPart } from "./disk-attachment.ts";
import { createIdentityPart } from "./identity.ts";
import { createClusterPart } from "./kubernetes-cluster.ts";
import { createDiskPart } from "./managed-disk.ts";
import { createAddressPart, createInterfacePart } from "./network-parts.ts";
import { createNodePoolPart } from "./node-pool.ts";
import { createGroupPart } from "./resource-group.ts";
import { createRoleAssignmentPart } from "./role-assignment.ts";
import { createSecurityRulesPart } from "./security-rules.ts";
import { createMachinePart } from "./virtual-machine.ts";

/** The parts of one subscription, keyed by Terraform's resource type. */
export interface AzureParts {
  /** Ordered so that each type comes before the types that refer to it. */
  readonly parts: ReadonlyMap<string, CloudPart>;
  close(): void;
}

/** Creates the parts that manage an entity's Azure resources. Loads no SDK and sends no requests. */
export function createAzureParts(options: AzureLibraryOptions & PartsOptions): AzureParts {
  const context = createAzureContext(options);
  const makers = [
    createGroupPart,
    createIdentityPart,
    createRoleAssignmentPart,
    createClusterPart,
    createNodePoolPart,
    createApplicationGroupPart,
    createSecurityRulesPart,
    createAddressPart,
    createInterfacePart,
    createMachinePart,
    createDiskPart,
    createAttachmentPart,
  ];
  return {
    parts: new Map(makers.map((make) => make(context, options.entityUid)).map((part) => [part.name, part])),
    close: () => undefined,
  };
}

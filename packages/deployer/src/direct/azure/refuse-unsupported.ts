import { toJson } from "@bufbuild/protobuf";
import type { TaskNodePool } from "@cloudwright/contract";
import { AzureClusterSchema } from "@cloudwright/contract/gen/cloudwright/v1/cluster_pb.ts";
import { AzureNodePoolSchema } from "@cloudwright/contract/gen/cloudwright/v1/node_pool_pb.ts";
import { getCloud } from "@cloudwright/contract/clouds";
import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import { azureOf, azurePoolOf } from "../../kubernetes/azure/azure-of.ts";
import { refuseForeign } from "../../kubernetes/azure/desired.ts";
import { isManagedAddOn } from "../../kubernetes/azure/managed-add-ons.ts";
import { objectOf, textOf } from "../../read-spec.ts";
import type { DeployedEntity, JsonObject, Surroundings } from "../../task.ts";

/**
 * Fields of `spec.azure` that are supported for clusters built without Terraform. Other fields may have only the values in `harmless`,
 * which are equivalent to omitting the field.
 */
const supported: ReadonlySet<string> = new Set(["resourceGroup", "tier", "clusterIdentityId", "outbound"]);
const harmless: Readonly<Record<string, unknown>> = {
  upgradeChannel: "none",
  nodeOsUpgradeChannel: "node-image",
  localAccounts: true,
  podNetwork: "overlay",
  imageCleaner: false,
};

/** Fields of a node pool's `spec.azure` that are supported for clusters built without Terraform. */
const supportedPool: ReadonlySet<string> = new Set(["os", "maxPods", "system"]);

/** Throws if the spec or a pool sets a field that only the Terraform configuration implements. */
export function refuseUnsupported(entity: DeployedEntity<"Cluster">, { nodePools: pools, outputs }: Surroundings): void {
  refuseForeign(entity);
  refuseOtherMachines(entity, outputs);
  const field = [...listFields(entity), ...pools.flatMap(listPoolFields)][0];
  if (field === undefined) return;
  const message = `${field} of ${entity.name} is not supported with spec.provisioner "direct"; remove it, or create the cluster with the provisioner "terraform"`;
  throw new Fault(deployerFaults.not_supported, message);
}

/** Throws if the spec changes the machine type of an existing cluster's workers. AKS cannot change the machines of the first pool. */
function refuseOtherMachines({ name, spec }: DeployedEntity<"Cluster">, outputs: JsonObject): void {
  const built = textOf(objectOf(outputs["choices"])["instance_type"]);
  const asked = spec.instanceType || getCloud("azure").machines.defaultType;
  if (built === "" || built === asked) return;
  const message = `spec.instanceType of ${name} cannot change from ${built} to ${asked}, because AKS cannot change the machines of a cluster's first pool; add a node pool with the new machine type instead`;
  throw new Fault(deployerFaults.not_supported, message);
}

function listFields({ spec }: DeployedEntity<"Cluster">): string[] {
  const own = Object.entries(toJson(AzureClusterSchema, azureOf(spec)) as object);
  return [
    ...own
      .filter(([name, value]) => !supported.has(name) && !(Object.hasOwn(harmless, name) && harmless[name] === value))
      .map(([name]) => `spec.azure.${name}`),
    ...spec.addOns.filter(({ name, disabled }) => isManagedAddOn(name) && !disabled).map(({ name }) => `the AKS add-on ${name}`),
  ];
}

function listPoolFields({ name, spec }: TaskNodePool): string[] {
  const own = Object.keys(toJson(AzureNodePoolSchema, azurePoolOf(spec)));
  return own.filter((field) => !supportedPool.has(field)).map((field) => `spec.azure.${field} of the node pool "${name}"`);
}

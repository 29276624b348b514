import { toJson } from "@bufbuild/protobuf";
import type { TaskNodePool } from "@cloudwright/contract";
import { GcpClusterSchema } from "@cloudwright/contract/gen/cloudwright/v1/cluster_pb.ts";
import { GcpNodePoolSchema } from "@cloudwright/contract/gen/cloudwright/v1/node_pool_pb.ts";
import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import { refuseForeign } from "../../kubernetes/gcp/desired.ts";
import { gcpOf } from "../../kubernetes/gcp/gcp-of.ts";
import type { DeployedEntity } from "../../task.ts";

/** Fields of `spec.gcp` that are supported for clusters built without Terraform. */
const supported: ReadonlySet<string> = new Set(["releaseChannel", "zone", "nodeServiceAccount", "controlPlaneCidr"]);
/** Fields of a node pool's `spec.gcp` that are supported for clusters built without Terraform. */
const supportedOfPools: ReadonlySet<string> = new Set(["image", "diskType", "networkTags", "secureBoot"]);

/** Throws if the spec or a pool sets a field that only the Terraform configuration implements. */
export function refuseUnsupported(entity: DeployedEntity<"Cluster">, pools: readonly TaskNodePool[]): void {
  refuseForeign(entity, pools);
  const field = [...listFields(entity), ...pools.flatMap(listPoolFields)][0];
  if (field === undefined) return;
  const message = `${field} of ${entity.name} is not supported with spec.provisioner "direct"; remove it, or create the cluster with the provisioner "terraform"`;
  throw new Fault(deployerFaults.not_supported, message);
}

function listFields({ spec }: DeployedEntity<"Cluster">): string[] {
  const gcp = gcpOf(spec);
  const own = Object.keys(toJson(GcpClusterSchema, gcp) as object).filter((name) => !supported.has(name));
  return [
    // Without Terraform, the Gateway API is not installed, so turning it off is allowed.
    ...own.filter((name) => name !== "gatewayApi" || gcp.gatewayApi === true).map((name) => `spec.gcp.${name}`),
    ...spec.addOns
      .filter(({ name, disabled }) => name === "node-local-dns" && !disabled)
      .map(({ name }) => `the GKE add-on ${name}`),
  ];
}

function listPoolFields({ name, spec }: TaskNodePool): string[] {
  const own = spec.cloud.case === "gcp" ? Object.keys(toJson(GcpNodePoolSchema, spec.cloud.value)) : [];
  return own.filter((field) => !supportedOfPools.has(field)).map((field) => `spec.gcp.${field} of the node pool "${name}"`);
}

import { toJson } from "@bufbuild/protobuf";
import type { TaskNodePool } from "@cloudwright/contract";
import { AwsClusterSchema } from "@cloudwright/contract/gen/cloudwright/v1/cluster_pb.ts";
import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import { awsOf } from "../../kubernetes/aws/aws-of.ts";
import { refuseForeign } from "../../kubernetes/aws/desired.ts";
import { isManagedAddOn } from "../../kubernetes/aws/managed-add-ons.ts";
import type { DeployedEntity } from "../../task.ts";

/** Fields of `spec.aws` that are supported for clusters built without Terraform. */
const supported: ReadonlySet<string> = new Set(["eksRoleArn", "nodeRoleArn", "accessEntries", "deletionProtection"]);

/** Throws if the spec or a pool sets a field that only the Terraform configuration implements. */
export function refuseUnsupported(entity: DeployedEntity<"Cluster">, pools: readonly TaskNodePool[]): void {
  refuseForeign(entity);
  const field = [...listFields(entity), ...pools.flatMap(listPoolFields)][0];
  if (field === undefined) return;
  const message = `${field} of ${entity.name} is not supported with spec.provisioner "direct"; remove it, or create the cluster with the provisioner "terraform"`;
  throw new Fault(deployerFaults.not_supported, message);
}

function listFields({ spec }: DeployedEntity<"Cluster">): string[] {
  const aws = awsOf(spec);
  const own = Object.keys(toJson(AwsClusterSchema, aws) as object).filter((name) => !supported.has(name));
  return [
    ...own
      .filter((name) => name !== "logTypes" || aws.logTypes.some((type) => type !== "none"))
      .map((name) => `spec.aws.${name}`),
    ...(aws.accessEntries.some(({ namespaces }) => namespaces.length > 0) ? ["spec.aws.accessEntries[].namespaces"] : []),
    ...((spec.networking?.serviceCidr ?? "") === "" ? [] : ["spec.networking.serviceCidr"]),
    ...spec.addOns.filter(({ name, disabled }) => isManagedAddOn(name) && !disabled).map(({ name }) => `the EKS add-on ${name}`),
  ];
}

function listPoolFields({ name, spec }: TaskNodePool): string[] {
  const settings = spec.cloud.case === "aws" ? spec.cloud.value.bottlerocketSettings : "";
  return [
    ...(spec.zones.length === 0 ? [] : [`spec.zones of the node pool "${name}"`]),
    ...(settings === "" ? [] : [`spec.aws.bottlerocketSettings of the node pool "${name}"`]),
  ];
}

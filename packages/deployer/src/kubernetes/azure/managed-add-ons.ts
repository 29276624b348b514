import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import type { DeployedEntity } from "../../task.ts";

/** Add-ons that AKS installs on request. */
const offered: readonly string[] = [
  "app-routing",
  "azure-policy",
  "blob-csi-driver",
  "keda",
  "key-vault-secrets-provider",
  "vertical-pod-autoscaler",
];

/** Returns whether AKS manages an add-on with this name. The Terraform configuration installs such add-ons. */
export function isManagedAddOn(name: string): boolean {
  return offered.includes(name);
}

/** Returns the add-ons in `spec.addOns` that AKS manages. AKS chooses their versions and their configuration. */
export function listManagedAddOns({ name, spec }: DeployedEntity<"Cluster">): string[] {
  const requested = spec.addOns.filter((addOn) => isManagedAddOn(addOn.name) && !addOn.disabled);
  const special = requested.find(({ version, configuration }) => version !== "" || configuration !== "");
  if (special !== undefined) {
    const message = `add-on ${special.name} of ${name}: AKS chooses its version and configuration; leave them out`;
    throw new Fault(deployerFaults.bad_spec, message);
  }
  return requested.map((addOn) => addOn.name).toSorted();
}

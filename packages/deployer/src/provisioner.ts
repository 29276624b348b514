import { textOf } from "./read-spec.ts";
import type { DeployedEntity } from "./task.ts";

/** The provisioner of entities whose spec does not choose one. */
export const defaultProvisioner = "terraform";

/** The provisioner that calls the cloud's own API. */
export const directProvisioner = "direct";

/** The provisioner of clusters that the platform did not create. */
export const existingProvisioner = "existing";

/** Returns the provisioner of an entity. Entities without the `provisioner` field are built by Terraform. */
export function provisionerOf({ spec }: Pick<DeployedEntity, "spec">): string {
  if ("network" in spec && "existing" in spec && spec.existing !== undefined) return existingProvisioner;
  return ("provisioner" in spec ? textOf(spec.provisioner) : "") || defaultProvisioner;
}

import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import type { DeployedEntity } from "../../task.ts";

/** The names of an existing network and of its subnet for machines. */
export interface ExistingNames {
  readonly network: string;
  readonly subnet: string;
}

const name = /^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;
const networkId = /^(?:https:\/\/www\.googleapis\.com\/compute\/v1\/)?projects\/([^/]+)\/global\/networks\/([^/]+)$/;
const subnetId = /^(?:https:\/\/www\.googleapis\.com\/compute\/v1\/)?projects\/([^/]+)\/regions\/([^/]+)\/subnetworks\/([^/]+)$/;

/**
 * Returns the names of the existing network and subnet that a spec refers to by name, id or self link. Throws if they are in another
 * project, because Shared VPC is not supported.
 */
export function findExisting(entity: DeployedEntity<"Network">, region: string, project: string): ExistingNames | undefined {
  const { existing } = entity.spec;
  if (existing === undefined) return undefined;
  const fail = (field: string, problem: string): Fault =>
    new Fault(deployerFaults.bad_spec, `spec.existing.${field} of ${entity.name} ${problem}`);
  for (const field of ["publicSubnetIds", "controlPlaneSubnetIds"] as const) {
    if (existing[field].length > 0)
      throw fail(field, "must be empty: a network in Google Cloud has one subnet; set it in privateSubnetIds");
  }
  const requireOwn = (field: string, owner: string): void => {
    if (project === "" || owner === project) return;
    throw fail(
      field,
      `is in the project ${owner}, but the account uses ${project}; networks of a Shared VPC host project are not supported`,
    );
  };
  const [, networkProject = project, network = existing.id] = networkId.exec(existing.id) ?? [];
  if (!name.test(network))
    throw fail(
      "id",
      `is "${existing.id}"; use the name of a VPC network, or an id such as projects/my-project/global/networks/main`,
    );
  requireOwn("id", networkProject);
  const [given = "", ...more] = existing.privateSubnetIds;
  if (given === "" || more.length > 0) throw fail("privateSubnetIds", "must contain exactly one subnet, the one for machines");
  const [, subnetProject = project, subnetRegion = region, subnet = given] = subnetId.exec(given) ?? [];
  if (!name.test(subnet))
    throw fail(
      "privateSubnetIds",
      `contains "${given}"; use the name of a subnet, or an id such as projects/my-project/regions/${region}/subnetworks/main`,
    );
  requireOwn("privateSubnetIds", subnetProject);
  if (subnetRegion !== region)
    throw fail("privateSubnetIds", `contains a subnet in ${subnetRegion}, but the network's region is ${region}`);
  return { network, subnet };
}

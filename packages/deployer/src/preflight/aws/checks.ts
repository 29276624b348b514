import { awsOf } from "../../network/aws/aws-of.ts";
import type { DeployedEntity } from "../../task.ts";
import { createPermissionCheck, regionIsOpen } from "../account-checks.ts";
import { createAgentCheck } from "../agent-checks.ts";
import {
  createBucketNameCheck,
  createClusterNameCheck,
  machinesAreOffered,
  servicesAreApart,
  vcpuQuota,
  versionIsOffered,
} from "../cluster-checks.ts";
import { existingIsThere } from "../existing-checks.ts";
import {
  createPublicIpQuota,
  internetGatewayQuota,
  natQuota,
  networkQuota,
  overlaps,
  rangeIsApart,
  zonesExist,
} from "../network-checks.ts";
import { imageExists, machineIsOffered } from "../instance-checks.ts";
import { groupQuotas, groupsFit, volumeQuota } from "./machine-checks.ts";
import type { Check, Finding, PreflightChecks, Question } from "../question.ts";

/** Checks that the network's range does not overlap the ranges of its peers. */
const rangeIsFree: Check<"Network"> = async ({ view, entity }) => {
  const { peers } = awsOf(entity.spec);
  if (entity.spec.existing !== undefined || peers.length === 0) return [];
  const cidr = entity.spec.cidr || "10.0.0.0/16";
  const vpcs = await view.listNetworks();
  return peers.flatMap((peer): Finding[] => {
    const ranges = peer.includes("/") ? [peer] : vpcs.find(({ id }) => id === peer)?.ranges;
    if (ranges === undefined) {
      const help = "Use the id of a VPC in this account and region, or an address range.";
      return [{ field: "spec.aws.peers", message: `the account has no VPC ${peer}`, help }];
    }
    const taken = ranges.filter((range) => overlaps(range, cidr));
    return taken.map((range) => ({
      field: "spec.cidr",
      message: `${cidr} overlaps ${range === peer ? peer : `${range} of ${peer}`}`,
      help: "Choose a range that does not overlap it.",
    }));
  });
};

/**
 * Returns the number of addresses that are kept until the routes have moved to another NAT gateway. Versions before v1.2.0 delete the
 * gateways first and do not report `nat_retiring`.
 */
function countKeptAddresses({ entity, around: { outputs }, cloud, region }: Question<"Network">): number {
  const former = outputs["nat_zones"];
  if (entity.spec.nat !== "single" || !Array.isArray(former) || outputs["nat_retiring"] === undefined) return 0;
  const { natZone } = awsOf(entity.spec);
  const next = natZone === "" ? former[0] : cloud.regions.renderZone(region, natZone);
  return former.filter((zone) => zone !== next).length;
}

export const awsChecks: PreflightChecks = {
  network: [
    createPermissionCheck("network"),
    regionIsOpen,
    zonesExist,
    networkQuota,
    internetGatewayQuota,
    createPublicIpQuota((question) => awsOf(question.entity.spec).loadBalancerIps + countKeptAddresses(question)),
    natQuota,
    rangeIsFree,
    rangeIsApart,
    existingIsThere,
  ],
  cluster: [
    createPermissionCheck("cluster"),
    regionIsOpen,
    versionIsOffered,
    machinesAreOffered,
    vcpuQuota,
    servicesAreApart,
    createAgentCheck(),
    createClusterNameCheck((entity) => renderName(entity, 40, 8)),
  ],
  storage: [createPermissionCheck("storage"), regionIsOpen, createBucketNameCheck((entity) => renderName(entity, 50, 12))],
  instance: [createPermissionCheck("instance"), regionIsOpen, machineIsOffered, imageExists, groupsFit],
  securitygroup: [createPermissionCheck("securitygroup"), regionIsOpen, groupQuotas],
  volume: [createPermissionCheck("volume"), regionIsOpen, volumeQuota],
};

/**
 * Builds a resource name from the entity's name and the end of its uid. The result must match the name that the configuration in `infra/`
 * builds.
 */
function renderName({ name, uid }: Pick<DeployedEntity, "name" | "uid">, longest: number, fromUid: number): string {
  return `${name.slice(0, longest).replace(/-$/, "")}-${uid.replaceAll("-", "").slice(-fromUid)}`;
}

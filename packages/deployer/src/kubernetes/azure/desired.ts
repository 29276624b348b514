import { toJson } from "@bufbuild/protobuf";
import { AzureClusterSchema, type ClusterEndpoint } from "@cloudwright/contract/gen/cloudwright/v1/cluster_pb.ts";
import { overlaps, parseRange } from "@cloudwright/contract";
import { clusterReserved } from "@cloudwright/contract/clouds/azure/reserved-ranges";
import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import { textOf } from "../../read-spec.ts";
import type { DeployedEntity, JsonObject } from "../../task.ts";
import { azureOf } from "./azure-of.ts";
import type { Choices } from "./choices.ts";

/** Throws if the spec sets fields that AKS does not support. */
export function refuseForeign(entity: DeployedEntity<"Cluster">): void {
  const { name, spec } = entity;
  refuseReserved(entity);
  const refuse = (message: string): never => {
    throw new Fault(deployerFaults.bad_spec, message);
  };
  if (spec.controlPlaneNodes > 0) refuse(`spec.controlPlaneNodes of ${name} is not supported: AKS runs the control plane itself`);
  if (spec.workers === 0)
    refuse(`spec.workers of ${name} is 0, but AKS needs at least one node for its system pods; use 1 or more`);
  const isWithoutV4 = spec.endpoint?.publicCidrs.find((range) => range.includes(":"));
  if (isWithoutV4 !== undefined)
    refuse(`spec.endpoint.publicCidrs of ${name} contains ${isWithoutV4}, but AKS accepts only IPv4 ranges`);
}

/** Throws if the spec sets a range for pods or Services that AKS rejects. */
function refuseReserved({ name, spec }: DeployedEntity<"Cluster">): void {
  for (const field of ["podCidr", "serviceCidr"] as const) {
    const text = spec.networking?.[field] ?? "";
    const range = parseRange(text);
    const taken = clusterReserved.find((each) => {
      const reserved = parseRange(each);
      return range !== undefined && reserved !== undefined && overlaps(range, reserved);
    });
    if (taken === undefined) continue;
    const message = `spec.networking.${field} of ${name} is ${text}, which overlaps ${taken}; AKS reserves ${clusterReserved.join(", ")}`;
    throw new Fault(deployerFaults.bad_spec, message);
  }
}

/** Fields of `spec.azure` that require configuration v1.1.0 or later. */
const currentFields: readonly string[] = ["workloadIdentities", "imageCleaner"];

/** Throws if the spec sets a field that an older configuration would silently ignore. */
export function refuseCurrent({ name, spec }: DeployedEntity<"Cluster">, version: string): void {
  const field = Object.keys(toJson(AzureClusterSchema, azureOf(spec))).find((each) => currentFields.includes(each));
  if (field === undefined) return;
  const message = `spec.azure.${field} of ${name} requires a newer configuration than ${version}; set spec.infra.version to v1.1.0`;
  throw new Fault(deployerFaults.not_supported, message);
}

/** Returns the minor version that the spec requests, or null if it requests none. AKS chooses the patch version itself. */
function readVersion({ name, spec }: DeployedEntity<"Cluster">): string | null {
  const { version } = spec;
  if (version === "") return null;
  const minor = /^v?(?<minor>1\.\d+)(\.\d+)?$/.exec(version)?.groups?.["minor"];
  if (minor === undefined)
    throw new Fault(deployerFaults.bad_spec, `spec.version of ${name} is "${version}"; use a version such as 1.34`);
  return minor;
}

/**
 * Returns the version to request from AKS, or null to request none. A cluster that AKS upgrades automatically keeps its version, unless the
 * spec requests a newer minor version than the cluster had after the last run.
 */
export function chooseVersion(entity: DeployedEntity<"Cluster">, outputs: JsonObject): string | null {
  const requested = readVersion(entity);
  const built = textOf(outputs["version"]);
  const isUpgradedByAks = ["stable", "rapid"].includes(azureOf(entity.spec).upgradeChannel);
  if (!isUpgradedByAks || built === "" || requested === null) return requested;
  return minorOf(requested) > minorOf(built) ? requested : null;
}

function minorOf(version: string): number {
  return Number(version.split(".")[1] ?? Number.NaN);
}

/** Returns which addresses can reach the API server. */
export function readEndpoint(endpoint: ClusterEndpoint | undefined): { readonly isPublic: boolean; readonly ranges: string[] } {
  // The endpoint is public by default, so that users can reach a new cluster without additional settings.
  return { isPublic: endpoint?.public ?? true, ranges: endpoint?.publicCidrs ?? [] };
}

// The first entry of each list is the documented default. The other entries are used if the network overlaps the default.
const podRanges = ["192.168.0.0/16", "10.244.0.0/16", "172.20.0.0/16"];
const serviceRanges = ["10.96.0.0/12", "172.16.0.0/16", "192.168.0.0/20"];

/** Chooses the ranges of pods and Services. They must not overlap the network or each other, and cannot change later. */
export function chooseRanges(
  { spec }: DeployedEntity<"Cluster">,
  networkRange: string,
  { podCidr, serviceCidr }: Pick<Choices, "podCidr" | "serviceCidr">,
): { readonly pods: string; readonly services: string } {
  const isFree = (text: string, ...others: readonly string[]): boolean => {
    const range = parseRange(text);
    return others.every((other) => {
      const taken = parseRange(other);
      return range === undefined || taken === undefined || !overlaps(range, taken);
    });
  };
  const given = spec.networking;
  const pick = (candidates: readonly string[], ...others: readonly string[]): string =>
    candidates.find((candidate) => isFree(candidate, ...others)) ?? candidates[0] ?? "";
  const pods = given?.podCidr || podCidr || pick(podRanges, networkRange, given?.serviceCidr ?? "");
  return { pods, services: given?.serviceCidr || serviceCidr || pick(serviceRanges, networkRange, pods) };
}

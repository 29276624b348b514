import {
  cloudOf,
  compareKubernetesVersions,
  isExistingCluster,
  overlaps,
  parseRange,
  type EntityJson,
  type JsonObject,
} from "@cloudwright/contract";
import { findCloud } from "@cloudwright/contract/clouds";
import type { FieldViolation } from "@cloudwright/platform";
import { isObject, textAt } from "../entities/json-tree.ts";
import type { KindRules, NamedSpec } from "./kind-rules.ts";

/** The default Kubernetes version: the newest one that all supported managed Kubernetes services offer. */
const defaultKubernetesVersion = "1.34";

type CurrentCluster = Pick<EntityJson, "spec" | "status">;

export const clusterRules: KindRules = {
  volumesField: "claimVolumes",
  // A cluster whose spec omits the version keeps its current version, even after the default has changed.
  normalise: (spec, current) => ({
    ...spec,
    version: textAt(spec, "version").replace(/^v/, "") || textAt(current, "version") || defaultVersionOf(spec),
    ...(isExistingCluster(spec) ? { existing: normaliseExisting(spec["existing"] as JsonObject) } : {}),
    // The default is stored as an empty string, so that setting it explicitly does not count as a change.
    ...(spec["provisioner"] === "terraform" ? { provisioner: "" } : {}),
  }),
  isForeign: isExistingCluster,
  isReadOnly: (spec) => isExistingCluster(spec) && textAt(spec, "existing", "mode") !== "manage",
  checkAgainstOwner: (spec, owner) => [
    ...checkProvisioner(spec),
    ...checkWorkers(spec),
    ...checkRanges(spec, owner),
    ...checkId(spec, owner),
  ],
  checkChange: checkVersion,
};

function checkVersion(current: CurrentCluster, spec: JsonObject): FieldViolation[] {
  // A cluster that is released from management keeps its version.
  if (textAt(spec, "version") === "") return [];
  const [running, desired] = [textAt(current.status, "version"), textAt(spec, "version")];
  if (desired === textAt(current.spec, "version") || compareKubernetesVersions(desired, running) >= 0) return [];
  const message = `is ${desired}, but the cluster runs ${running} and Kubernetes cannot be downgraded; create a new cluster instead`;
  return [{ field: "spec.version", message }];
}

/**
 * Returns the version for a new cluster whose spec omits it. Empty for a cluster that the platform did not create, because such a cluster
 * keeps its version until a user upgrades it.
 */
function defaultVersionOf(spec: JsonObject): string {
  return isExistingCluster(spec) ? "" : defaultKubernetesVersion;
}

function normaliseExisting(existing: JsonObject): JsonObject {
  return { ...existing, mode: textAt(existing, "mode") || "observe" };
}

/** Checks that a cluster that the platform did not create is identified by the cloud's own ID. A name could refer to several clusters. */
function checkId(spec: JsonObject, account: NamedSpec): FieldViolation[] {
  if (!isExistingCluster(spec)) return [];
  const facts = findCloud(cloudOf(account.spec) ?? "");
  const id = textAt(spec, "existing", "id");
  if (facts?.clusterId?.test(id) === true) return [];
  const form = facts?.examples.cluster === undefined ? "" : `, such as ${facts.examples.cluster}`;
  const why =
    facts?.clusterId === undefined
      ? `${facts?.title ?? "the cloud"} does not support imported clusters`
      : `must be the cloud's own id${form}`;
  return [{ field: "spec.existing.id", message: why }];
}

function checkRanges(spec: JsonObject, network: NamedSpec): FieldViolation[] {
  const outer = parseRange(textAt(network.spec, "cidr"));
  if (outer === undefined || !isObject(spec["networking"])) return [];
  return ["podCidr", "serviceCidr"].flatMap((name): FieldViolation[] => {
    const value = textAt(spec, "networking", name);
    const range = parseRange(value);
    if (range === undefined || !overlaps(outer, range)) return [];
    return [{ field: `spec.networking.${name}`, message: `is ${value}, which overlaps the range of network "${network.name}"` }];
  });
}

/** Checks that the cluster has as many workers as its cloud's Kubernetes service requires. */
function checkWorkers(spec: JsonObject): FieldViolation[] {
  const { workers } = spec;
  const { leastWorkers: least, kubernetesService } = findCloud(cloudOf(spec) ?? "") ?? {};
  if (least === undefined || typeof workers !== "number" || workers >= least.count || isExistingCluster(spec)) return [];
  const message = `is ${workers}, but ${kubernetesService} requires at least ${least.count}, because ${least.reason}`;
  return [{ field: "spec.workers", message }];
}

/** Checks whether the cluster's cloud supports the provisioner. The provisioner and the cloud never change. */
function checkProvisioner(spec: JsonObject): FieldViolation[] {
  const provisioner = textAt(spec, "provisioner");
  const cloud = findCloud(cloudOf(spec) ?? "");
  if (provisioner === "" || cloud === undefined || cloud.provisioners.includes(provisioner)) return [];
  const supported = cloud.provisioners.join(", ") || "none";
  return [
    { field: "spec.provisioner", message: `is ${provisioner}, which ${cloud.title} does not support; supported: ${supported}` },
  ];
}

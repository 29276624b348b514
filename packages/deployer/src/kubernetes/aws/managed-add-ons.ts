import type { AddOn } from "@cloudwright/contract/gen/cloudwright/v1/cluster_pb.ts";
import { Fault, isObject, parseJson } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import { objectOf, textOf } from "../../read-spec.ts";
import type { DeployedEntity, JsonObject } from "../../task.ts";
import { readVersion } from "./desired.ts";

// Nodes need these add-ons to become ready. All other add-ons need at least one node.
const onEveryNode = new Set(["vpc-cni", "kube-proxy", "eks-pod-identity-agent"]);
const usual = ["vpc-cni", "kube-proxy", "coredns", "aws-ebs-csi-driver", "eks-pod-identity-agent"];
const further = [
  "adot",
  "amazon-cloudwatch-observability",
  "aws-efs-csi-driver",
  "eks-node-monitoring-agent",
  "snapshot-controller",
];

/** Returns whether EKS manages an add-on with this name. The Terraform configuration installs such add-ons. */
export function isManagedAddOn(name: string): boolean {
  return usual.includes(name) || further.includes(name);
}

/** Cluster data that determines which add-on versions stay unchanged. */
export interface AddOnSituation {
  readonly outputs: JsonObject;
  /** True if the desired node count of any pool is above 0. */
  readonly hasNodes: boolean;
}

/**
 * Renders the add-ons that EKS manages: the default set, modified by `spec.addOns`. If the spec does not name a version, EKS chooses one at
 * installation and again when the cluster's minor version changes.
 */
export function renderManagedAddOns(entity: DeployedEntity<"Cluster">, situation: AddOnSituation): JsonObject {
  const requested = new Map(entity.spec.addOns.map((addOn) => [addOn.name, addOn]));
  const names = [...usual, ...further.filter((name) => requested.has(name))];
  const wanted = names.filter((name) => requested.get(name)?.disabled !== true);
  const minor = readVersion(entity);
  return Object.fromEntries(
    wanted.map((name) => {
      const request = renderRequest(entity.name, name, requested.get(name));
      return [name, { ...renderKept(name, minor, situation), ...request }];
    }),
  );
}

/**
 * Returns the version that an installed add-on keeps. In a cluster without nodes, add-ons that run on nodes keep their version, because a
 * new version could not become ready.
 */
function renderKept(name: string, minor: string | null, { outputs, hasNodes }: AddOnSituation): JsonObject {
  const version = textOf(objectOf(outputs["addon_versions"])[name]);
  if (version === "") return {};
  const chosenFor = textOf(objectOf(outputs["addon_minors"])[name]);
  const isChosen = minor === null || chosenFor === minor;
  const mustStay = !hasNodes && !onEveryNode.has(name);
  if (!isChosen && !mustStay) return { installed: true };
  return { installed: true, version, ...(isChosen || chosenFor === "" ? {} : { chosen_for: chosenFor }) };
}

function renderRequest(cluster: string, name: string, { version = "", configuration = "" }: Partial<AddOn> = {}): JsonObject {
  if (version !== "" && !/^v\d+\.\d+\.\d+-eksbuild\.\d+$/.test(version)) {
    const message = `add-on ${name} of ${cluster}: "${version}" is not an EKS add-on version; use one such as v1.20.4-eksbuild.1`;
    throw new Fault(deployerFaults.bad_spec, message);
  }
  if (configuration !== "" && !isObject(parseJson(configuration))) {
    throw new Fault(deployerFaults.bad_spec, `add-on ${name} of ${cluster}: the configuration must be a JSON object`);
  }
  return { ...(version === "" ? {} : { version }), ...(configuration === "" ? {} : { configuration }) };
}

import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../faults.ts";
import { objectOf, textOf } from "../read-spec.ts";
import type { DeployedEntity, JsonObject } from "../task.ts";

const usual = ["vpc-cni", "kube-proxy", "coredns", "aws-ebs-csi-driver", "eks-pod-identity-agent"];
const further = [
  "adot",
  "amazon-cloudwatch-observability",
  "aws-efs-csi-driver",
  "eks-node-monitoring-agent",
  "snapshot-controller",
];

/** Whether EKS itself installs an add-on of this name: then Terraform carries it, and nobody else installs it. */
export function isManagedAddOn(name: string): boolean {
  return usual.includes(name) || further.includes(name);
}

/** The add-ons that EKS manages: those that every cluster has, changed, left out and joined by what `spec.addOns` says by their names there. */
export function renderManagedAddOns({ name: cluster, spec }: DeployedEntity): JsonObject {
  const asked = (Array.isArray(spec["addOns"]) ? spec["addOns"] : []).map(objectOf);
  const wishes = new Map(asked.map((wish) => [textOf(wish["name"]), wish]));
  const names = [...usual, ...further.filter((name) => wishes.has(name))];
  const wanted = names.filter((name) => wishes.get(name)?.["disabled"] !== true);
  return Object.fromEntries(wanted.map((name) => [name, renderAddOn(cluster, name, wishes.get(name) ?? {})]));
}

function renderAddOn(cluster: string, name: string, wish: JsonObject): JsonObject {
  const [version, configuration] = [textOf(wish["version"]), textOf(wish["configuration"])];
  if (version !== "" && !/^v\d+\.\d+\.\d+-eksbuild\.\d+$/.test(version)) {
    const message = `the version "${version}" of the add-on ${name} of ${cluster} is not one of EKS, such as v1.20.4-eksbuild.1`;
    throw new Fault(deployerFaults.bad_spec, message);
  }
  if (configuration !== "" && !isJsonObject(configuration)) {
    throw new Fault(deployerFaults.bad_spec, `the configuration of the add-on ${name} of ${cluster} is not a JSON object`);
  }
  return { ...(version === "" ? {} : { version }), ...(configuration === "" ? {} : { configuration }) };
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

import { Fault, isObject, parseJson } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import { objectOf, textOf } from "../../read-spec.ts";
import type { DeployedEntity, JsonObject } from "../../task.ts";
import { readVersion } from "./desired.ts";

// Those that nodes need themselves; the others run on nodes.
const onEveryNode = new Set(["vpc-cni", "kube-proxy", "eks-pod-identity-agent"]);
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

/** What the cluster has, by its last apply, and is to have. */
export interface AddOnSituation {
  readonly outputs: JsonObject;
  /** Whether pools are to have nodes. */
  readonly hasNodes: boolean;
}

/**
 * The add-ons that EKS manages: those that every cluster has, changed, left out and joined by what `spec.addOns` says by their names there. A version
 * that nobody asks for is what EKS installs by default when the add-on comes or the cluster's version changes, and stays until the next change of that.
 */
export function renderManagedAddOns(entity: DeployedEntity, situation: AddOnSituation): JsonObject {
  const asked = (Array.isArray(entity.spec["addOns"]) ? entity.spec["addOns"] : []).map((each) => objectOf(each));
  const wishes = new Map(asked.map((wish) => [textOf(wish["name"]), wish]));
  const names = [...usual, ...further.filter((name) => wishes.has(name))];
  const wanted = names.filter((name) => wishes.get(name)?.["disabled"] !== true);
  const minor = readVersion(entity);
  return Object.fromEntries(
    wanted.map((name) => {
      const wish = renderWish(entity.name, name, wishes.get(name) ?? {});
      return [name, { ...renderKept(name, minor, situation), ...wish }];
    }),
  );
}

/** What stays of an add-on that is there. Without nodes those that run on them cannot become ready in another version, and keep theirs until there are some. */
function renderKept(name: string, minor: string | null, { outputs, hasNodes }: AddOnSituation): JsonObject {
  const version = textOf(objectOf(outputs["addon_versions"])[name]);
  if (version === "") return {};
  const chosenFor = textOf(objectOf(outputs["addon_minors"])[name]);
  const isChosen = minor === null || chosenFor === minor;
  const mustStay = !hasNodes && !onEveryNode.has(name);
  if (!isChosen && !mustStay) return { installed: true };
  return { installed: true, version, ...(isChosen || chosenFor === "" ? {} : { chosen_for: chosenFor }) };
}

function renderWish(cluster: string, name: string, wish: JsonObject): JsonObject {
  const [version, configuration] = [textOf(wish["version"]), textOf(wish["configuration"])];
  if (version !== "" && !/^v\d+\.\d+\.\d+-eksbuild\.\d+$/.test(version)) {
    const message = `the version "${version}" of the add-on ${name} of ${cluster} is not one of EKS, such as v1.20.4-eksbuild.1`;
    throw new Fault(deployerFaults.bad_spec, message);
  }
  if (configuration !== "" && !isObject(parseJson(configuration))) {
    throw new Fault(deployerFaults.bad_spec, `the configuration of the add-on ${name} of ${cluster} is not a JSON object`);
  }
  return { ...(version === "" ? {} : { version }), ...(configuration === "" ? {} : { configuration }) };
}

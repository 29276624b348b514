import { toJson } from "@bufbuild/protobuf";
import { ClusterSpecSchema, type ClusterSpec } from "@cloudwright/contract/gen/cloudwright/v1/cluster_pb.ts";
import { isObject, parseJson } from "@cloudwright/platform";
import { findDeployerCloud } from "../clouds.ts";
import { provisionerOf } from "../provisioner.ts";
import { objectOf } from "../read-spec.ts";
import type { Json, JsonObject } from "../task.ts";
import type { AddOn, AddOnStatus } from "./add-on.ts";

export interface WantedAddOn {
  readonly addOn: AddOn;
  readonly version: string;
  readonly values: JsonObject;
  /** True if `spec.addOns` lists the add-on. */
  readonly isNamed: boolean;
  /**
   * True if the spec requests the add-on, by name or through another field. A default add-on waits for a missing prerequisite instead of
   * failing.
   */
  readonly isAsked: boolean;
}

/**
 * A version is used in a file name and as a helm argument, so it must not contain a path or look like an option. The version is empty for
 * add-ons that the cloud installs.
 */
const versionPattern = /^([A-Za-z0-9][A-Za-z0-9._+-]{0,63})?$/;

/** The selected add-ons in installation order, and the rejected requests. */
export interface Choice {
  readonly wanted: readonly WantedAddOn[];
  readonly refused: readonly AddOnStatus[];
}

/** Selects the add-ons that the spec requests and the cloud's default add-ons. */
export function chooseAddOns(catalogue: readonly AddOn[], cloud: string, spec: ClusterSpec): Choice {
  const known = new Map(catalogue.filter(({ clouds }) => clouds?.includes(cloud) ?? true).map((addOn) => [addOn.name, addOn]));
  const asked = new Map(spec.addOns.map((each) => [each.name, each]));
  const provisioner = provisionerOf({ spec });
  const refused: AddOnStatus[] = [];
  const wanted: WantedAddOn[] = [];
  for (const { name, version, disabled } of asked.values()) {
    // Terraform installs the cloud's managed add-ons with the cluster.
    if (known.has(name) || disabled || findDeployerCloud(cloud)?.isManagedAddOn(name) === true) continue;
    const names = [...known.keys()].toSorted().join(", ");
    refused.push({ name, version, phase: "FAILED", message: `unknown add-on; available add-ons: ${names}` });
  }
  for (const addOn of [...known.values()].toSorted((one, other) => one.order - other.order)) {
    const own = asked.get(addOn.name);
    if (own?.disabled === true || (own === undefined && !isDefault(addOn, spec))) continue;
    const isAvailable = addOn.provisioners?.includes(provisioner) ?? true;
    if (!isAvailable && own === undefined) continue;
    const version = own?.version || addOn.version;
    const values = parseConfiguration(own?.configuration ?? "");
    const wrong = !isAvailable
      ? `not available in a cluster with the provisioner "${provisioner}"`
      : values === undefined
        ? "the configuration must be a JSON object"
        : !versionPattern.test(version)
          ? "the version must use letters, digits, dots, underscores, plus signs and dashes, and start with a letter or digit"
          : addOn.isFixed === true && version !== addOn.version
            ? `only version ${addOn.version} is available`
            : undefined;
    if (wrong === undefined) {
      const isNamed = own !== undefined;
      wanted.push({ addOn, version, values: values ?? {}, isNamed, isAsked: isNamed || addOn.wanted !== "always" });
    } else refused.push({ name: addOn.name, version, phase: "FAILED", message: wrong });
  }
  return { wanted, refused };
}

function isDefault({ wanted }: AddOn, spec: ClusterSpec): boolean {
  if (typeof wanted === "string") return wanted === "always";
  // Catalogues name the fields as users write them in JSON, not as generated TypeScript properties.
  return (
    wanted.when.split(".").reduce<Json | undefined>((place, key) => objectOf(place)[key], toJson(ClusterSpecSchema, spec)) ===
    true
  );
}

function parseConfiguration(text: string): JsonObject | undefined {
  if (text.trim() === "") return {};
  const value = parseJson(text);
  return isObject(value) ? (value as JsonObject) : undefined;
}

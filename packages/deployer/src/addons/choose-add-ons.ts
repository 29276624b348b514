import { toJson } from "@bufbuild/protobuf";
import { ClusterSpecSchema, type ClusterSpec } from "@cloudwright/contract/gen/cloudwright/v1/cluster_pb.ts";
import { isObject, parseJson } from "@cloudwright/platform";
import { findDeployerCloud } from "../clouds.ts";
import { objectOf } from "../read-spec.ts";
import type { Json, JsonObject } from "../task.ts";
import type { AddOn, AddOnStatus } from "./add-on.ts";

/** An add-on that a cluster is to have. */
export interface WantedAddOn {
  readonly addOn: AddOn;
  readonly version: string;
  readonly values: JsonObject;
  /** The cluster asks for it by name. */
  readonly isNamed: boolean;
  /** The cluster asks for it, by name or by what it is to be; without that it is one of the defaults, and what it lacks is no fault of the cluster's. */
  readonly isAsked: boolean;
}

/** What a cluster is to have, in order, and what it asks for in vain. */
export interface Choice {
  readonly wanted: readonly WantedAddOn[];
  readonly refused: readonly AddOnStatus[];
}

/** Chooses from the catalogue what the spec of a cluster asks for, and the defaults of its cloud. */
export function chooseAddOns(catalogue: readonly AddOn[], cloud: string, spec: ClusterSpec): Choice {
  const known = new Map(catalogue.filter(({ clouds }) => clouds?.includes(cloud) ?? true).map((addOn) => [addOn.name, addOn]));
  const asked = new Map(spec.addOns.map((each) => [each.name, each]));
  const refused: AddOnStatus[] = [];
  const wanted: WantedAddOn[] = [];
  for (const { name, version, disabled } of asked.values()) {
    // Terraform installs the cloud's own add-ons with the cluster.
    if (known.has(name) || disabled || findDeployerCloud(cloud)?.isManagedAddOn(name) === true) continue;
    const names = [...known.keys()].toSorted().join(", ");
    refused.push({ name, version, phase: "FAILED", message: `the catalogue has no such add-on; it has ${names}` });
  }
  for (const addOn of [...known.values()].toSorted((one, other) => one.order - other.order)) {
    const own = asked.get(addOn.name);
    if (own?.disabled === true || (own === undefined && !isDefault(addOn, spec))) continue;
    const version = own?.version || addOn.version;
    const values = parseConfiguration(own?.configuration ?? "");
    const wrong =
      values === undefined
        ? "its configuration is no JSON object"
        : addOn.isFixed === true && version !== addOn.version
          ? `there is no version but ${addOn.version}`
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
  // Catalogues come from outside and name fields of the spec as users write it.
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

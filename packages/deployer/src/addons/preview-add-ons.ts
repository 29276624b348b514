import type { ClusterSpec } from "@cloudwright/contract/gen/cloudwright/v1/cluster_pb.ts";
import type { PreviewItem } from "../executor/preview-item.ts";
import { findDeployerCloud } from "../clouds.ts";
import { chooseAddOns, type WantedAddOn } from "./choose-add-ons.ts";

/** Describes how a new spec would change the installed add-ons. Add-ons that the cloud manages appear in the plan instead. */
export function previewAddOns(cloud: string, former: ClusterSpec | undefined, wanted: ClusterSpec): PreviewItem[] {
  const before = former === undefined ? new Map<string, WantedAddOn>() : listOwn(cloud, former);
  const after = listOwn(cloud, wanted);
  const names = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  return names.flatMap((name) => describe(name, before.get(name), after.get(name)));
}

function listOwn(cloud: string, spec: ClusterSpec): ReadonlyMap<string, WantedAddOn> {
  const own = chooseAddOns(findDeployerCloud(cloud)?.addOns ?? [], cloud, spec).wanted.filter(
    ({ addOn }) => addOn.install.by !== "cloud",
  );
  return new Map(own.map((wanted) => [wanted.addOn.name, wanted]));
}

function describe(name: string, before: WantedAddOn | undefined, after: WantedAddOn | undefined): PreviewItem[] {
  const item = { part: "add-ons", name } as const;
  if (before === undefined) return [{ ...item, action: "create", message: after?.version ?? "" }];
  if (after === undefined) return [{ ...item, action: "delete", message: before.version }];
  const versions = before.version === after.version ? [] : [`${before.version} -> ${after.version}`];
  const values = JSON.stringify(before.values) === JSON.stringify(after.values) ? [] : ["configuration"];
  const message = [...versions, ...values].join("; ");
  return message === "" ? [] : [{ ...item, action: "update", message }];
}

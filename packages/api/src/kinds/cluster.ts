import { compareKubernetesVersions, overlaps, parseRange } from "@cloudwright/contract";
import type { FieldViolation } from "@cloudwright/platform";
import { isObject, textAt } from "../entities/json-tree.ts";
import type { KindRules } from "./kind-rules.ts";

/** The default Kubernetes version: the newest one that all supported managed Kubernetes services offer. */
const defaultKubernetesVersion = "1.34";

export const clusterRules: KindRules = {
  volumesField: "claimVolumes",
  // A cluster whose spec omits the version keeps its current one, even after the default has changed.
  normalise: (spec, current) => ({
    ...spec,
    version: textAt(spec, "version").replace(/^v/, "") || textAt(current, "version") || defaultKubernetesVersion,
  }),
  checkAgainstOwner(spec, network) {
    const outer = parseRange(textAt(network.spec, "cidr"));
    if (outer === undefined || !isObject(spec["networking"])) return [];
    return ["podCidr", "serviceCidr"].flatMap((name): FieldViolation[] => {
      const value = textAt(spec, "networking", name);
      const range = parseRange(value);
      if (range === undefined || !overlaps(outer, range)) return [];
      return [
        { field: `spec.networking.${name}`, message: `is ${value}, which overlaps the range of network "${network.name}"` },
      ];
    });
  },
  checkChange(current, spec) {
    const [running, desired] = [textAt(current.status, "version"), textAt(spec, "version")];
    if (desired === textAt(current.spec, "version") || compareKubernetesVersions(desired, running) >= 0) return [];
    const message = `is ${desired}, but the cluster runs ${running} and Kubernetes cannot be downgraded; create a new cluster instead`;
    return [{ field: "spec.version", message }];
  },
};

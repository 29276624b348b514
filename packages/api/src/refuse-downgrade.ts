import { compareKubernetesVersions, type EntityJson, type JsonObject } from "@cloudwright/contract";
import { invalid } from "./decode.ts";
import { textAt } from "./json-tree.ts";

/** Refuses a version of Kubernetes below the one that a cluster runs: no control plane can go back. */
export function refuseDowngrade(kind: string, current: Pick<EntityJson, "spec" | "status">, spec: JsonObject): void {
  if (kind !== "Cluster") return;
  const [running, asked] = [textAt(current.status, "version"), textAt(spec, "version")];
  if (asked === textAt(current.spec, "version") || compareKubernetesVersions(asked, running) >= 0) return;
  const message = `is ${asked}, but ${running} runs already, and Kubernetes cannot go back; make a new cluster instead`;
  throw invalid("the Cluster", [{ field: "spec.version", message }]);
}

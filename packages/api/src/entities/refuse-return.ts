import { compareKubernetesVersions, type EntityJson, type JsonObject } from "@cloudwright/contract";
import { invalid } from "../calls/decode.ts";
import { getAt, textAt } from "./json-tree.ts";

type Current = Pick<EntityJson, "spec" | "status">;

/** Refuses what cannot go back: a version of Kubernetes below the one that a cluster runs, and a volume smaller than it was made. */
export function refuseReturn(kind: string, current: Current, spec: JsonObject): void {
  if (kind === "Cluster") refuseDowngrade(current, spec);
  if (kind === "Storage") refuseShrinking(current, spec);
}

function refuseDowngrade(current: Current, spec: JsonObject): void {
  const [running, asked] = [textAt(current.status, "version"), textAt(spec, "version")];
  if (asked === textAt(current.spec, "version") || compareKubernetesVersions(asked, running) >= 0) return;
  const message = `is ${asked}, but ${running} runs already, and Kubernetes cannot go back; make a new cluster instead`;
  throw invalid("the Cluster", [{ field: "spec.version", message }]);
}

function refuseShrinking(current: Current, spec: JsonObject): void {
  const [size, asked] = [current.spec, spec].map((each) => Number(getAt(each, ["volume", "sizeGib"]) ?? 0)) as [number, number];
  // Of one that is not as asked for nobody here knows how large it is; the cloud does.
  if (textAt(current.status, "phase") !== "RUNNING" || asked === 0 || asked >= size) return;
  const message = `is ${asked}, but the volume has ${size} GiB, and no volume can shrink; make a new one instead`;
  throw invalid("the Storage", [{ field: "spec.volume.sizeGib", message }]);
}

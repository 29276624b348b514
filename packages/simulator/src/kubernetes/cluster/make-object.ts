import { createUid } from "@cloudwright/platform";
import { fillDefaults } from "../kinds/fill-defaults.ts";
import type { AwakeCluster } from "./awake-cluster.ts";
import { timeText, type KubeObject } from "./kube-object.ts";

/** An object that the cluster itself creates. `makeObject` adds the fields that every object has. */
export interface Draft {
  apiVersion: string;
  kind: string;
  metadata: Partial<KubeObject["metadata"]> & { name: string };
  [field: string]: any;
}

/** Stores an object on behalf of a controller or the bootstrap. If the name is taken, returns the existing object unchanged. */
export function makeObject(cluster: AwakeCluster, resource: string, draft: Draft): KubeObject {
  const { state, clock } = cluster;
  const existing = state.find(resource, draft.metadata.namespace ?? "", draft.metadata.name);
  if (existing !== undefined) return existing;
  const now = clock.now();
  const metadata = {
    ...draft.metadata,
    uid: createUid(now),
    resourceVersion: "",
    creationTimestamp: timeText(now),
    ...(draft["spec"] && { generation: 1 }),
  };
  const object = structuredClone({ ...draft, metadata }) as KubeObject;
  fillDefaults(resource.split(".")[0] ?? resource, object);
  return state.put(resource, object);
}

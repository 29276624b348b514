import { Fault } from "@cloudwright/platform";
import { simulatorFaults } from "../../faults.ts";
import type { ClusterRecord, KubernetesObjects, ObjectKey } from "./kubernetes-objects.ts";

interface Kept {
  record: ClusterRecord;
  version: number;
  /** As text: what was kept must not change when somebody changes the object. */
  readonly objects: Map<string, { key: ObjectKey; text: string }>;
}

/** Clusters that last as long as the process. */
export function createMemoryObjects(): KubernetesObjects {
  const clusters = new Map<string, Kept>();
  return {
    listClusters: async () => [...clusters.values()].map(({ record }) => record),
    async createCluster(record) {
      if (clusters.has(record.id)) return false;
      clusters.set(record.id, { record, version: 0, objects: new Map() });
      return true;
    },
    async updateCluster(record) {
      const kept = clusters.get(record.id);
      if (kept !== undefined) kept.record = record;
      return kept !== undefined;
    },
    deleteCluster: async (id) => clusters.delete(id),
    async load(id) {
      const { version, objects } = getKept(id);
      return { version, objects: [...objects.values()].map(({ key, text }) => ({ key, object: JSON.parse(text) })) };
    },
    async commit(id, after, changes) {
      const kept = getKept(id);
      if (kept.version !== after) throw staleObjects(id, after, kept.version);
      for (const { key, object, version } of changes) {
        const place = keyText(key);
        if (object === undefined) kept.objects.delete(place);
        else kept.objects.set(place, { key, text: JSON.stringify(object) });
        kept.version = version;
      }
    },
  };

  function getKept(id: string): Kept {
    const kept = clusters.get(id);
    if (kept === undefined) throw noSuchCluster(id);
    return kept;
  }
}

/** A key as one word. */
export function keyText({ resource, namespace, name }: ObjectKey): string {
  return `${resource}/${namespace}/${name}`;
}

/** Another process has written meanwhile. */
export function staleObjects(id: string, after: number, kept: number): Fault {
  return new Fault(simulatorFaults.objects_stale, `cluster ${id} is at version ${kept}, not at ${after}`);
}

/** There is no such simulated cluster. */
export function noSuchCluster(id: string): Fault {
  return new Fault(simulatorFaults.no_such_cluster, `there is no simulated cluster ${id}`);
}

import { Fault } from "@cloudwright/platform";
import { simulatorFaults } from "../../faults.ts";
import { deletionMark, type ClusterRecord, type KubernetesObjects, type ObjectKey } from "./kubernetes-objects.ts";

interface Kept {
  record: ClusterRecord;
  version: number;
  /** Objects as JSON text, so that later modifications by callers do not affect the store. */
  readonly objects: Map<string, { key: ObjectKey; text: string }>;
}

/** Creates a cluster store in memory, for use within one process. */
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
    listUnfinished: async () =>
      [...clusters].flatMap(([id, { objects }]) =>
        [...objects.values()].some(({ text }) => text.includes(deletionMark)) ? [id] : [],
      ),
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

/** Renders an object key as a string. */
export function keyText({ resource, namespace, name }: ObjectKey): string {
  return `${resource}/${namespace}/${name}`;
}

/** Creates the fault for a commit that is not based on the latest version. */
export function staleObjects(id: string, after: number, kept: number): Fault {
  return new Fault(simulatorFaults.objects_stale, `cluster ${id} is at version ${kept}, not at ${after}`);
}

/** Creates the fault for a missing cluster. */
export function noSuchCluster(id: string): Fault {
  return new Fault(simulatorFaults.no_such_cluster, `the simulated cluster ${id} does not exist`);
}

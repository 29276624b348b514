import { Fault } from "@cloudwright/platform";
import { deletionMark, simulatorFaults, type KubeObject, type KubernetesObjects } from "@cloudwright/simulator";
import {
  commitSimulatedObjects,
  deleteSimulatedCluster,
  insertSimulatedCluster,
  listSimulatedClusters,
  listSimulatedClustersWith,
  loadSimulatedObjects,
  updateSimulatedCluster,
  type Pool,
  type SimulatedClusterPlace,
  type SimulatedObjectWrite,
} from "@cloudwright/store";

/** Stores simulated clusters and their Kubernetes objects in the database. `getPlace` returns the location of a new cluster. */
export function createStoredObjects(
  { pool }: { readonly pool: Pool },
  getPlace: (id: string) => SimulatedClusterPlace,
): KubernetesObjects {
  return {
    async listClusters() {
      const rows = await listSimulatedClusters(pool);
      return rows.map(({ id, version, createdAtMs, project, cloud }) => ({
        id,
        version,
        createdAtMs,
        project,
        ...(cloud !== null && { cloud }),
      }));
    },
    createCluster: (record) => insertSimulatedCluster(pool, getPlace(record.id), record),
    updateCluster: (record) => updateSimulatedCluster(pool, record),
    deleteCluster: (id) => deleteSimulatedCluster(pool, id),
    async load(id) {
      const loaded = await loadSimulatedObjects(pool, id);
      if (loaded === undefined) throw noSuchCluster(id);
      const objects = loaded.objects.map(({ resource, namespace, name, object }) => ({
        key: { resource, namespace, name },
        get object() {
          return JSON.parse(object) as KubeObject;
        },
      }));
      return { version: loaded.version, objects };
    },
    listUnfinished: () => listSimulatedClustersWith(pool, deletionMark),
    async commit(id, after, changes) {
      const to = changes.at(-1)?.version ?? after;
      // If an object changed several times, only its last state is written.
      const writes = new Map<string, SimulatedObjectWrite>();
      for (const { key, object } of changes) {
        const { resource, namespace, name } = key;
        const text = object === undefined ? null : JSON.stringify(object);
        writes.set(`${resource}/${namespace}/${name}`, { resource, namespace, name, object: text });
      }
      const { kept, version } = await commitSimulatedObjects(pool, id, { after, to }, [...writes.values()]);
      if (kept) return;
      if (version === null) throw noSuchCluster(id);
      throw new Fault(simulatorFaults.objects_stale, `cluster ${id} is at version ${version}, not at ${after}`);
    },
  };
}

function noSuchCluster(id: string): Fault {
  return new Fault(simulatorFaults.no_such_cluster, `the simulated cluster ${id} does not exist`);
}

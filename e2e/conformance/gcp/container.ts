import { applyClusterUpdate, completeCluster } from "./gke-cluster.ts";
import { checkManagement, completePool, updatePool } from "./gke-pool.ts";
import { listVersions, resolveVersion } from "./gke-versions.ts";
import { listAt, notFound, objectAt, Refusal, textAt, type Resource, type Service } from "./reply.ts";

const pathPattern =
  /^projects\/([^/]+)\/locations\/([^/]+)\/(clusters|operations|serverConfig)(?:\/([^/:]+))?(?:\/(nodePools)(?:\/([^/:]+))?)?(?::(\w+))?$/;

/** Creates a local GKE service with clusters and node pools. Operations finish immediately. */
export function createContainer(resources: Map<string, Resource>): Service {
  let count = 0;
  const finish = (): Resource => ({ name: `operation-${String((count += 1))}`, status: "DONE", operationType: "UPDATE_CLUSTER" });

  /** Returns a cluster including its node pools. */
  function read(key: string): Resource {
    const cluster = resources.get(key);
    if (cluster === undefined) throw notFound(key);
    return { ...cluster, nodePools: listPools(key) };
  }

  function listPools(key: string): Resource[] {
    return [...resources].flatMap(([path, each]) => (path.startsWith(`${key}/nodePools/`) ? [each] : []));
  }

  function savePool(key: string, cluster: Resource, pool: Resource): void {
    const complete = completePool(cluster, pool);
    resources.set(`${key}/nodePools/${textAt(pool, "name")}`, complete);
    for (const group of listGroups(complete))
      resources.set(`compute/${textAt(group, "selfLink").replace(/^.*\/v1\//, "")}`, group);
  }

  function deletePool(key: string, name: string): void {
    const pool = resources.get(`${key}/nodePools/${name}`);
    if (pool === undefined) throw notFound(name);
    for (const group of listGroups(pool)) resources.delete(`compute/${textAt(group, "selfLink").replace(/^.*\/v1\//, "")}`);
    resources.delete(`${key}/nodePools/${name}`);
  }

  function createCluster(project: string, location: string, asked: Resource): void {
    const key = `container/projects/${project}/locations/${location}/clusters/${textAt(asked, "name")}`;
    if (resources.has(key)) throw new Refusal(409, `Already exists: ${key}`, "alreadyExists");
    const cluster = completeCluster(asked, { project, location });
    resources.set(key, cluster);
    const size = { initialNodeCount: asked["initialNodeCount"] ?? 0, config: objectAt(asked, "nodeConfig") };
    savePool(key, cluster, { name: "default-pool", ...size, locations: cluster["locations"] });
  }

  return ({ method, path, body }) => {
    const [, project = "", location = "", kind, name, pools, pool, action] = pathPattern.exec(path) ?? [];
    if (kind === "operations") return finish();
    if (kind === "serverConfig") return listVersions();
    if (name === undefined) {
      if (method === "GET") {
        const keys = [...resources.keys()].filter((each) => /^container\/.*\/clusters\/[^/]+$/.test(each));
        return { clusters: keys.map(read) };
      }
      createCluster(project, location, objectAt(body, "cluster"));
      return finish();
    }
    const key = `container/projects/${project}/locations/${location}/clusters/${name}`;
    const cluster = read(key);
    if (pools === undefined) {
      if (method === "GET") return cluster;
      if (method === "DELETE") {
        for (const each of listPools(key)) deletePool(key, textAt(each, "name"));
        resources.delete(key);
        return finish();
      }
      const stored = resources.get(key) ?? {};
      if (action === "setResourceLabels") {
        if (body["labelFingerprint"] !== stored["labelFingerprint"])
          throw new Refusal(412, "Labels could not be set: the fingerprint is wrong");
        Object.assign(stored, { resourceLabels: objectAt(body, "resourceLabels"), labelFingerprint: `f${String((count += 1))}` });
        return finish();
      }
      if (action === "setMaintenancePolicy") {
        const window = objectAt(objectAt(body, "maintenancePolicy"), "window");
        stored["maintenancePolicy"] = {
          resourceVersion: `v${String((count += 1))}`,
          ...("window" in objectAt(body, "maintenancePolicy") ? { window } : {}),
        };
        return finish();
      }
      if (action !== undefined) throw notFound(path);
      const update = objectAt(body, "update");
      if (Object.keys(update).filter((field) => field !== "desiredNodePoolId").length !== 1 && !isPair(update)) {
        throw new Refusal(400, `Exactly one field must be updated: ${Object.keys(update).join(", ")}`);
      }
      const id = textAt(update, "desiredNodePoolId");
      if (id !== "") {
        const found = resources.get(`${key}/nodePools/${id}`);
        if (found === undefined) throw notFound(id);
        const { desiredNodePoolAutoscaling: autoscaling = found["autoscaling"], desiredImageType: imageType } = update;
        const config = { ...objectAt(found, "config"), ...(imageType === undefined ? {} : { imageType }) };
        savePool(key, cluster, { ...found, autoscaling, config });
        return finish();
      }
      resources.set(key, applyClusterUpdate(stored, update));
      // Some cluster settings affect the node pools, so all pools are updated too.
      for (const each of listPools(key)) savePool(key, read(key), each);
      return finish();
    }
    if (pool === undefined) {
      if (method === "GET") return { nodePools: listPools(key) };
      const asked = objectAt(body, "nodePool");
      if (resources.has(`${key}/nodePools/${textAt(asked, "name")}`)) throw new Refusal(409, "Already exists", "alreadyExists");
      checkManagement(cluster, asked);
      savePool(key, cluster, asked);
      return finish();
    }
    const found = resources.get(`${key}/nodePools/${pool}`);
    if (found === undefined) throw notFound(path);
    if (method === "GET") return found;
    if (method === "DELETE") deletePool(key, pool);
    else if (action === "setSize") savePool(key, cluster, { ...found, size: body["nodeCount"] ?? 0 });
    else if (action === "setManagement") {
      checkManagement(cluster, body);
      savePool(key, cluster, { ...found, management: objectAt(body, "management") });
    } else if (action === undefined)
      savePool(
        key,
        cluster,
        updatePool(found, {
          ...body,
          ...(textAt(body, "nodeVersion") === "" ? {} : { nodeVersion: resolveVersion(textAt(body, "nodeVersion")) }),
        }),
      );
    else throw notFound(path);
    return finish();
  };
}

/**
 * Returns whether an update sets both the logging and the monitoring service. GKE accepts these two together, but otherwise only one field
 * per request.
 */
function isPair(update: Resource): boolean {
  const fields = Object.keys(update).toSorted().join(" ");
  return fields === "desiredLoggingService desiredMonitoringService";
}

/**
 * Returns the managed instance groups of a node pool, one per zone. Each group's target size is the number of nodes that the pool has per
 * zone.
 */
function listGroups(pool: Resource): Resource[] {
  return listAt({ urls: (pool["instanceGroupUrls"] as string[]).map((url) => ({ url })) }, "urls").map(({ url }) => ({
    name: String(url).split("/").at(-1),
    selfLink: url,
    instanceGroup: String(url).replace("instanceGroupManagers", "instanceGroups"),
    targetSize: pool["size"],
  }));
}

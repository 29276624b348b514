import type { Cluster, ClusterUpdate, NodePool, UpdateNodePoolRequest } from "../models.ts";
import { refuse, type Answer, type FakeOperation, type FakeState } from "./fake-state.ts";
import type { SeenRequest } from "./google-server.ts";

/** Versions that the fake GKE offers. */
const offeredVersions = ["1.30.1-gke.100", "1.29.9-gke.200", "1.29.9-gke.1000", "1.29.3-gke.100", "1.28.1-gke.1"];

type Path = readonly [location: string, name: string, pool: string | undefined, verb: string | undefined];

/** Answers a request to GKE. */
export function answerContainer(state: FakeState, { method, path, body }: SeenRequest): Answer {
  const place = path.replace(/^container\/v1\/projects\/[^/]+\/locations\//, "");
  const [, operation] = /\/operations\/([^/]+)$/.exec(place) ?? [];
  if (operation !== undefined) return answerOperation(state, operation);
  if (place.endsWith("/serverConfig")) return answerVersions();
  if (/^[^/]+\/clusters$/.test(place))
    return method === "POST"
      ? createCluster(state, path, (body as { readonly cluster: Cluster }).cluster)
      : { status: 200, body: { clusters: [...state.clusters.values()], missingZones: state.missingZones } };
  const [, location = "", name = "", pool, verb] =
    /^([^/]+)\/clusters\/([^/:]+)(?:\/nodePools(?:\/([^/:]+))?)?(?::(\w+))?$/.exec(place) ?? [];
  const key = `${location}/${name}`;
  const cluster = state.clusters.get(key);
  if (cluster === undefined) return refuse(404, "NOT_FOUND", `Not found: ${path}.`, "notFound");
  const isPools = place.includes("/nodePools");
  if (method === "GET") return readCluster(cluster, pool, path);
  if ([...state.operations.values()].some(({ target, isDone }) => target === key && !isDone))
    return refuse(400, "FAILED_PRECONDITION", "Cluster is running incompatible operation operation-1.", "failedPrecondition");
  if (isPools && pool === undefined) return createPool(state, key, cluster, (body as { readonly nodePool: NodePool }).nodePool);
  return change(state, key, [location, name, pool, verb], { method, body });
}

function answerOperation(state: FakeState, name: string): Answer {
  const operation = state.operations.get(name);
  return operation === undefined
    ? refuse(404, "NOT_FOUND", "Not found", "notFound")
    : { status: 200, body: renderOperation(operation) };
}

function renderOperation({ name, isDone, error, target }: FakeOperation) {
  const status = isDone ? "DONE" : "RUNNING";
  return { name, status, targetLink: target, ...(isDone && error !== undefined ? { error } : {}) };
}

function answerVersions(): Answer {
  const channels = [
    { channel: "REGULAR", defaultVersion: "1.29.3-gke.100", validVersions: ["1.29.9-gke.200", "1.29.3-gke.100"] },
    { channel: "EXTENDED", defaultVersion: "1.28.1-gke.1", validVersions: ["1.28.1-gke.1"] },
  ];
  return { status: 200, body: { validMasterVersions: offeredVersions, validNodeVersions: offeredVersions, channels } };
}

function readCluster(cluster: Cluster, pool: string | undefined, path: string): Answer {
  if (pool === undefined) return { status: 200, body: { ...cluster } };
  const found = cluster.nodePools?.find(({ name }) => name === pool);
  return found === undefined ? refuse(404, "NOT_FOUND", `Not found: ${path}.`, "notFound") : { status: 200, body: { ...found } };
}

function createCluster(state: FakeState, path: string, requested: Cluster): Answer {
  const [, location = ""] = /\/locations\/([^/]+)\/clusters$/.exec(path) ?? [];
  const key = `${location}/${requested.name}`;
  if (state.clusters.has(key)) return refuse(409, "ALREADY_EXISTS", `Already exists: ${key}.`, "alreadyExists");
  const version = requested.initialClusterVersion ?? "1.29.3-gke.100";
  const made: Cluster = {
    ...requested,
    location,
    locations: requested.locations ?? [location],
    status: "PROVISIONING",
    currentMasterVersion: version,
    createTime: "2026-01-01T00:00:00+00:00",
    selfLink: `https://container.googleapis.com/v1/projects/my-project/locations/${location}/clusters/${requested.name}`,
    nodePools: (requested.nodePools ?? []).map((pool) => begin(pool, version)),
  };
  state.clusters.set(key, made);
  const operation = state.start(key, () => {
    const now = state.clusters.get(key) ?? made;
    const nodePools = (now.nodePools ?? []).map((pool) => complete(state, key, now, pool));
    const masterAuth = { clusterCaCertificate: "Y2E=" };
    state.clusters.set(key, { ...now, status: "RUNNING", endpoint: "203.0.113.10", masterAuth, nodePools });
  });
  return { status: 200, body: renderOperation(operation) };
}

function begin(pool: NodePool, version: string): NodePool {
  return { ...pool, version: pool.version ?? version, status: "PROVISIONING" };
}

/** Completes a pool: GKE creates an instance group in each zone. */
function complete(state: FakeState, key: string, cluster: Cluster, pool: NodePool): NodePool {
  if (!state.sizes.has(`${key}/${pool.name}`)) state.sizes.set(`${key}/${pool.name}`, pool.initialNodeCount ?? 0);
  const zones = pool.locations ?? cluster.locations ?? [];
  const origin = "https://www.googleapis.com/compute/v1/projects/my-project/zones";
  const urls = zones.map((zone) => `${origin}/${zone}/instanceGroupManagers/gke--${key.replace("/", "--")}--${pool.name}`);
  return { ...pool, status: "RUNNING", instanceGroupUrls: urls };
}

function createPool(state: FakeState, key: string, cluster: Cluster, requested: NodePool): Answer {
  if (cluster.nodePools?.some(({ name }) => name === requested.name) === true)
    return refuse(409, "ALREADY_EXISTS", `Already exists: ${requested.name}.`, "alreadyExists");
  const pool = begin(requested, cluster.currentMasterVersion ?? "");
  state.clusters.set(key, { ...cluster, nodePools: [...(cluster.nodePools ?? []), pool] });
  const operation = state.start(key, () => replacePool(state, key, pool.name ?? "", (now) => complete(state, key, cluster, now)));
  return { status: 200, body: renderOperation(operation) };
}

function replacePool(state: FakeState, key: string, name: string, map: (pool: NodePool) => NodePool | undefined): void {
  const cluster = state.clusters.get(key);
  if (cluster === undefined) return;
  const nodePools = (cluster.nodePools ?? []).flatMap((pool) => (pool.name === name ? (map(pool) ?? []) : [pool]));
  state.clusters.set(key, { ...cluster, nodePools });
}

function change(
  state: FakeState,
  key: string,
  [, , pool, verb]: Path,
  { method, body }: Pick<SeenRequest, "method" | "body">,
): Answer {
  const setStatus = (status: string): void => {
    if (pool === undefined) state.clusters.set(key, { ...state.clusters.get(key), status });
    else replacePool(state, key, pool, (now) => ({ ...now, status }));
  };
  if (pool !== undefined && state.clusters.get(key)?.nodePools?.some(({ name }) => name === pool) !== true)
    return refuse(404, "NOT_FOUND", `Not found: ${pool}.`, "notFound");
  setStatus(method === "DELETE" ? "STOPPING" : "RECONCILING");
  const operation = state.start(key, () => {
    if (method === "DELETE" && pool === undefined) state.clusters.delete(key);
    else if (method === "DELETE") replacePool(state, key, pool ?? "", () => undefined);
    else {
      setStatus("RUNNING");
      apply(state, key, pool, verb, body as Readonly<Record<string, never>>);
    }
  });
  if (operation.error !== undefined) setStatus("RUNNING");
  return { status: 200, body: renderOperation(operation) };
}

type FakeChange = UpdateNodePoolRequest & {
  readonly masterVersion?: string;
  readonly nodeCount?: number;
  readonly autoscaling?: object;
  readonly management?: object;
  readonly resourceLabels?: object;
  readonly update?: ClusterUpdate;
};

function apply(state: FakeState, key: string, pool: string | undefined, verb: string | undefined, body: FakeChange): void {
  const cluster = state.clusters.get(key) ?? {};
  if (verb === "updateMaster")
    return void state.clusters.set(key, { ...cluster, currentMasterVersion: body.masterVersion ?? "" });
  if (verb === "setResourceLabels")
    return void state.clusters.set(key, { ...cluster, resourceLabels: body.resourceLabels as Record<string, string> });
  if (pool === undefined) return void state.clusters.set(key, updateCluster(cluster, body.update ?? {}));
  if (verb === "setSize") return void state.sizes.set(`${key}/${pool}`, body.nodeCount ?? 0);
  replacePool(state, key, pool ?? "", (now) => {
    const config = {
      ...now.config,
      ...(body.labels === undefined ? {} : { labels: body.labels.labels ?? {} }),
      ...(body.taints === undefined ? {} : { taints: body.taints.taints ?? [] }),
      ...(body.machineType === undefined ? {} : { machineType: body.machineType }),
      ...(body.diskSizeGb === undefined ? {} : { diskSizeGb: Number(body.diskSizeGb) }),
      ...(body.diskType === undefined ? {} : { diskType: body.diskType }),
      ...(body.imageType === undefined ? {} : { imageType: body.imageType }),
      ...(body.tags === undefined ? {} : { tags: body.tags.tags ?? [] }),
      ...(body.resourceLabels === undefined ? {} : { resourceLabels: body.resourceLabels.labels ?? {} }),
    };
    const changed: NodePool = {
      ...now,
      config,
      ...(verb === "setAutoscaling" ? { autoscaling: body.autoscaling ?? {} } : {}),
      ...(verb === "setManagement" ? { management: body.management ?? {} } : {}),
      ...(body.nodeVersion === undefined ? {} : { version: body.nodeVersion }),
      ...(body.locations === undefined ? {} : { locations: body.locations }),
    };
    return complete(state, key, cluster, changed);
  });
}

function updateCluster(cluster: Cluster, update: ClusterUpdate): Cluster {
  const { desiredLocations, desiredMasterAuthorizedNetworksConfig, desiredReleaseChannel, desiredWorkloadIdentityConfig } =
    update;
  const isPublic = update.desiredControlPlaneEndpointsConfig?.ipEndpointsConfig?.enablePublicEndpoint;
  return {
    ...cluster,
    ...(desiredLocations === undefined ? {} : { locations: desiredLocations }),
    ...(isPublic === undefined
      ? {}
      : { privateClusterConfig: { ...cluster.privateClusterConfig, enablePrivateEndpoint: !isPublic } }),
    ...(desiredReleaseChannel === undefined ? {} : { releaseChannel: desiredReleaseChannel }),
    ...(desiredWorkloadIdentityConfig === undefined ? {} : { workloadIdentityConfig: desiredWorkloadIdentityConfig }),
    ...(desiredMasterAuthorizedNetworksConfig === undefined
      ? {}
      : { masterAuthorizedNetworksConfig: desiredMasterAuthorizedNetworksConfig }),
  };
}

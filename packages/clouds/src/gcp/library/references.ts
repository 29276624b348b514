import { refuseRequest } from "../../library/errors.ts";

/** A resource and its location. Project and location are absent if the caller passed only a name. */
export interface GcpReference {
  readonly name: string;
  readonly project?: string;
  readonly location?: string;
}

const segment = "[a-z0-9][a-z0-9.:-]*";
const clusterPath = new RegExp(
  `^projects/(?<project>${segment})/(?:locations|zones)/(?<location>[a-z][a-z0-9-]*)/clusters/(?<name>[^/]+)$`,
);
const poolPath = new RegExp(
  `^projects/(?<project>${segment})/(?:locations|zones)/(?<location>[a-z][a-z0-9-]*)/clusters/(?<cluster>[^/]+)/nodePools/(?<name>[^/]+)$`,
);
const instancePath = new RegExp(
  `^(?:projects/(?<project>${segment})/)?zones/(?<location>[a-z][a-z0-9-]*)/instances/(?<name>[^/]+)$`,
);
/** Name of a context that `gcloud container clusters get-credentials` writes. */
const contextName = /^gke_(?<project>[a-z0-9.:-]+)_(?<location>[a-z][a-z0-9-]*)_(?<name>[a-z0-9-]+)$/;

const clusterName = /^[a-z]([-a-z0-9]{0,38}[a-z0-9])?$/;
const instanceName = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Returns the part of a self link or full resource name that starts with `projects/`, or the text itself. */
export function pathOf(link: string): string {
  return /^(https?:)?\/\//.test(link) ? link.replace(/^.*?\/(?=projects\/)/, "") : link;
}

/** Reads a cluster's name, self link, path or gcloud context. Throws `clouds.invalid` for anything else. */
export function readClusterRef(ref: string): GcpReference {
  const found = readRef(ref, [clusterPath, contextName]);
  if (!isClusterName(found.name))
    throw refuseRequest("gcp", `"${ref}" is not the name, self link or path of a GKE cluster; ${clusterNameRule}`);
  return found;
}

const clusterNameRule = "a name has at most 40 lower-case letters, digits and hyphens, and starts with a letter";

/** Returns whether GKE accepts the name of a cluster or node pool. */
function isClusterName(name: string): boolean {
  return clusterName.test(name);
}

/** Throws `clouds.invalid` unless GKE accepts the name of a new cluster or node pool. */
export function checkClusterName(what: string, name: string): void {
  if (!isClusterName(name)) throw refuseRequest("gcp", `"${name}" is not a valid name for a ${what}; ${clusterNameRule}`);
}

/** Reads a node pool's name, self link or path. Throws `clouds.invalid` if it belongs to another cluster. */
export function readPoolRef(cluster: string, ref: string): string {
  const groups = poolPath.exec(pathOf(ref))?.groups;
  if (groups !== undefined && groups["cluster"] !== cluster)
    throw refuseRequest("gcp", `the node pool ${ref} does not belong to the cluster ${cluster}`);
  const name = groups?.["name"] ?? ref;
  checkClusterName("node pool", name);
  return name;
}

/** Reads a node pool's path. Returns undefined for anything else. */
export function readPoolPath(id: string): { readonly cluster: Required<GcpReference>; readonly name: string } | undefined {
  const { project = "", location = "", cluster = "", name = "" } = poolPath.exec(id)?.groups ?? {};
  if (!isClusterName(cluster) || !isClusterName(name)) return undefined;
  return { cluster: { project, location, name: cluster }, name };
}

/** Reads an instance's name, self link or path. Throws `clouds.invalid` for anything else. */
export function readInstanceRef(ref: string): GcpReference {
  const found = readRef(ref, [instancePath]);
  if (!instanceName.test(found.name))
    throw refuseRequest("gcp", `"${ref}" is not the name, self link or path of an instance; ${instanceNameRule}`);
  return found;
}

const instanceNameRule = "a name has at most 63 lower-case letters, digits and hyphens, and starts with a letter";

/** Throws `clouds.invalid` unless Compute Engine accepts the name of a new instance. */
export function checkInstanceName(name: string): void {
  if (!instanceName.test(name)) throw refuseRequest("gcp", `"${name}" is not a valid name for an instance; ${instanceNameRule}`);
}

function readRef(ref: string, patterns: readonly RegExp[]): GcpReference {
  const path = pathOf(ref);
  const groups = patterns.map((pattern) => pattern.exec(path)?.groups).find((each) => each !== undefined);
  const { name = ref, project, location } = groups ?? {};
  return { name, ...(project === undefined ? {} : { project }), ...(location === undefined ? {} : { location }) };
}

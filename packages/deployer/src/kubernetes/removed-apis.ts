/** An API version that a Kubernetes minor version stops serving for some kinds. */
export interface RemovedApi {
  /** For example `flowcontrol.apiserver.k8s.io/v1beta3`. */
  readonly apiVersion: string;
  readonly kinds: readonly string[];
}

const flows = ["FlowSchema", "PriorityLevelConfiguration"];

/**
 * Removed APIs, keyed by Kubernetes 1.x minor version, from the Kubernetes deprecation guide, up to 1.36. The other minor versions do not
 * remove APIs that are enabled by default.
 */
const removals: Readonly<Record<number, readonly RemovedApi[]>> = {
  25: [
    { apiVersion: "batch/v1beta1", kinds: ["CronJob"] },
    { apiVersion: "discovery.k8s.io/v1beta1", kinds: ["EndpointSlice"] },
    { apiVersion: "events.k8s.io/v1beta1", kinds: ["Event"] },
    { apiVersion: "autoscaling/v2beta1", kinds: ["HorizontalPodAutoscaler"] },
    { apiVersion: "policy/v1beta1", kinds: ["PodDisruptionBudget", "PodSecurityPolicy"] },
    { apiVersion: "node.k8s.io/v1beta1", kinds: ["RuntimeClass"] },
  ],
  26: [
    { apiVersion: "flowcontrol.apiserver.k8s.io/v1beta1", kinds: flows },
    { apiVersion: "autoscaling/v2beta2", kinds: ["HorizontalPodAutoscaler"] },
  ],
  27: [{ apiVersion: "storage.k8s.io/v1beta1", kinds: ["CSIStorageCapacity"] }],
  29: [{ apiVersion: "flowcontrol.apiserver.k8s.io/v1beta2", kinds: flows }],
  32: [{ apiVersion: "flowcontrol.apiserver.k8s.io/v1beta3", kinds: flows }],
};

/** Returns the APIs that are removed in the minor versions after `fromMinor`, up to and including `toMinor`. */
export function listRemovedApis(fromMinor: number, toMinor: number): readonly RemovedApi[] {
  return Object.entries(removals).flatMap(([minor, apis]) => (Number(minor) > fromMinor && Number(minor) <= toMinor ? apis : []));
}

/** An object and an API version that a client uses to write it. */
export interface ApiInUse {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** The client that wrote the object, for example `kubectl`. */
  readonly writer: string;
}

/** Describes the objects that use a removed API. */
export function findRemovedInUse(removed: readonly RemovedApi[], inUse: readonly ApiInUse[]): string[] {
  const isGone = ({ apiVersion, kind }: ApiInUse): boolean =>
    removed.some((api) => api.apiVersion === apiVersion && api.kinds.includes(kind));
  return inUse.filter(isGone).map(({ apiVersion, kind, namespace, name, writer }) => {
    const place = namespace === undefined ? name : `${namespace}/${name}`;
    return `${kind} ${place} (${apiVersion}, written by ${writer})`;
  });
}

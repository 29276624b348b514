/** A kind that a cluster serves, built-in or defined by a CustomResourceDefinition. */
export interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** The plural lower-case name used in paths. */
  readonly resource: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** The subresources that are served: `status`, `scale`, both or none. */
  readonly subresources: readonly string[];
  /** The name of the kind's schema. */
  readonly schema: string;
}

/** Returns the key under which objects of a kind are stored. All versions of the kind share this key. */
export function storageKey(kind: Pick<Kind, "group" | "resource">): string {
  return kind.group === "" ? kind.resource : `${kind.resource}.${kind.group}`;
}

/** Returns the API version, such as `v1` or `apps/v1`. */
export function apiVersionOf(kind: Pick<Kind, "group" | "version">): string {
  return kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
}

// Each block starts with the group/version and the package of its schemas. One line per kind follows: kind, plural, c(luster) or
// n(amespaced), subresources, short names, categories.
const served = `
/v1 core
ConfigMap configmaps n - cm -
Endpoints endpoints n - ep -
Event events n - ev -
LimitRange limitranges n - limits -
Namespace namespaces c status ns -
Node nodes c status no -
PersistentVolumeClaim persistentvolumeclaims n status pvc -
PersistentVolume persistentvolumes c status pv -
Pod pods n status po all
ResourceQuota resourcequotas n status quota -
Secret secrets n - - -
ServiceAccount serviceaccounts n - sa -
Service services n status svc all
admissionregistration.k8s.io/v1 admissionregistration
MutatingWebhookConfiguration mutatingwebhookconfigurations c - - api-extensions
ValidatingAdmissionPolicy validatingadmissionpolicies c status - api-extensions
ValidatingAdmissionPolicyBinding validatingadmissionpolicybindings c - - api-extensions
ValidatingWebhookConfiguration validatingwebhookconfigurations c - - api-extensions
apiextensions.k8s.io/v1 apiextensions
CustomResourceDefinition customresourcedefinitions c status crd,crds api-extensions
apps/v1 apps
DaemonSet daemonsets n status ds all
Deployment deployments n status,scale deploy all
ReplicaSet replicasets n status,scale rs all
StatefulSet statefulsets n status,scale sts all
autoscaling/v2 autoscaling
HorizontalPodAutoscaler horizontalpodautoscalers n status hpa all
batch/v1 batch
CronJob cronjobs n status cj all
Job jobs n status - all
coordination.k8s.io/v1 coordination
Lease leases n - - -
discovery.k8s.io/v1 discovery
EndpointSlice endpointslices n - - -
networking.k8s.io/v1 networking
IngressClass ingressclasses c - - -
Ingress ingresses n status ing -
NetworkPolicy networkpolicies n - netpol -
policy/v1 policy
PodDisruptionBudget poddisruptionbudgets n status pdb -
rbac.authorization.k8s.io/v1 rbac
ClusterRoleBinding clusterrolebindings c - - -
ClusterRole clusterroles c - - -
RoleBinding rolebindings n - - -
Role roles n - - -
scheduling.k8s.io/v1 scheduling
PriorityClass priorityclasses c - pc -
storage.k8s.io/v1 storage
CSIDriver csidrivers c - - -
CSINode csinodes c - - -
StorageClass storageclasses c - sc -
VolumeAttachment volumeattachments c status - -
`;

/** The kinds that every cluster serves. */
export const builtInKinds: readonly Kind[] = parseKinds(served);

function parseKinds(text: string): Kind[] {
  const kinds: Kind[] = [];
  let [group, version, folder] = ["", "", ""];
  for (const line of text.trim().split("\n")) {
    const words = line.split(" ");
    if (words.length < 4) {
      [group, version] = (words[0] ?? "").split("/") as [string, string];
      folder = words[1] ?? "";
      continue;
    }
    const [kind = "", resource = "", scope, subresources = "", shortNames = "", categories = ""] = words;
    const list = (word: string): string[] => (word === "-" ? [] : word.split(","));
    kinds.push({
      group,
      version,
      kind,
      resource,
      singular: kind.toLowerCase(),
      namespaced: scope === "n",
      shortNames: list(shortNames),
      categories: list(categories),
      subresources: list(subresources),
      schema:
        folder === "apiextensions"
          ? `io.k8s.apiextensions-apiserver.pkg.apis.${folder}.${version}.${kind}`
          : `io.k8s.api.${folder}.${version}.${kind}`,
    });
  }
  return kinds;
}

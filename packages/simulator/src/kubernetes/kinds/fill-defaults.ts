import type { KubeObject } from "../cluster/kube-object.ts";
import { findField, setField } from "../cluster/own-fields.ts";

type Fields = any;

/** Fills in the Kubernetes defaults of built-in kinds. Modifies the object. */
export function fillDefaults(resource: string, object: KubeObject): void {
  findField(defaults, resource)?.(object);
}

const defaults: Record<string, (object: KubeObject) => void> = {
  namespaces(object) {
    object.spec = { finalizers: ["kubernetes"], ...object.spec };
    object.status ??= { phase: "Active" };
    object.metadata.labels = { ...object.metadata.labels, "kubernetes.io/metadata.name": object.metadata.name };
  },
  pods: (object) => fillPod((object.spec ??= {})),
  services(object) {
    fillService((object.spec ??= {}));
    object.status ??= { loadBalancer: {} };
  },
  ingresses(object) {
    object.status ??= { loadBalancer: {} };
  },
  horizontalpodautoscalers(object) {
    const target = { type: "Utilization", averageUtilization: 80 };
    object.spec = { minReplicas: 1, metrics: [{ type: "Resource", resource: { name: "cpu", target } }], ...object.spec };
  },
  priorityclasses(object) {
    object["preemptionPolicy"] ??= "PreemptLowerPriority";
  },
  secrets(object) {
    object["type"] ??= "Opaque";
    const texts = (object["stringData"] ?? {}) as Record<string, string>;
    for (const [key, text] of Object.entries(texts)) setField((object["data"] ??= {}), key, Buffer.from(text).toString("base64"));
    delete object["stringData"];
  },
  persistentvolumes(object) {
    object.spec = { persistentVolumeReclaimPolicy: "Retain", volumeMode: "Filesystem", ...object.spec };
    if (object.spec.hostPath) object.spec.hostPath = { type: "", ...object.spec.hostPath };
    object.status ??= { phase: "Pending" };
  },
  persistentvolumeclaims(object) {
    object.spec = { volumeMode: "Filesystem", ...object.spec };
    object.status ??= { phase: "Pending" };
  },
  deployments(object) {
    const spec = fillWorkload(object);
    spec.strategy = { type: "RollingUpdate", ...spec.strategy };
    if (spec.strategy.type === "RollingUpdate")
      spec.strategy.rollingUpdate = { maxUnavailable: "25%", maxSurge: "25%", ...spec.strategy.rollingUpdate };
    spec.revisionHistoryLimit ??= 10;
    spec.progressDeadlineSeconds ??= 600;
  },
  replicasets: (object) => void fillWorkload(object),
  statefulsets(object) {
    const spec = fillWorkload(object);
    spec.podManagementPolicy ??= "OrderedReady";
    spec.updateStrategy ??= { type: "RollingUpdate", rollingUpdate: { partition: 0 } };
    spec.persistentVolumeClaimRetentionPolicy ??= { whenDeleted: "Retain", whenScaled: "Retain" };
    spec.revisionHistoryLimit ??= 10;
    for (const claim of spec.volumeClaimTemplates ?? []) {
      claim.apiVersion ??= "v1";
      claim.kind ??= "PersistentVolumeClaim";
      claim.spec = { volumeMode: "Filesystem", ...claim.spec };
      claim.status ??= { phase: "Pending" };
    }
  },
  daemonsets(object) {
    const spec = (object.spec ??= {});
    if (spec.template?.spec !== undefined) fillPod(spec.template.spec);
    spec.updateStrategy = { type: "RollingUpdate", ...spec.updateStrategy };
    if (spec.updateStrategy.type === "RollingUpdate")
      spec.updateStrategy.rollingUpdate = { maxUnavailable: 1, maxSurge: 0, ...spec.updateStrategy.rollingUpdate };
    spec.revisionHistoryLimit ??= 10;
  },
  jobs: (object) => fillJob((object.spec ??= {}), object),
  cronjobs(object) {
    const spec = (object.spec ??= {});
    spec.concurrencyPolicy ??= "Allow";
    spec.suspend ??= false;
    spec.successfulJobsHistoryLimit ??= 3;
    spec.failedJobsHistoryLimit ??= 1;
    if (spec.jobTemplate?.spec?.template?.spec !== undefined) fillPod(spec.jobTemplate.spec.template.spec);
  },
  storageclasses(object) {
    object["reclaimPolicy"] ??= "Delete";
    object["volumeBindingMode"] ??= "Immediate";
  },
  csidrivers(object) {
    object.spec = {
      attachRequired: true,
      fsGroupPolicy: "ReadWriteOnceWithFSType",
      podInfoOnMount: false,
      requiresRepublish: false,
      seLinuxMount: false,
      storageCapacity: false,
      volumeLifecycleModes: ["Persistent"],
      ...object.spec,
    };
  },
  networkpolicies(object) {
    const spec = (object.spec ??= {});
    for (const rule of [...(spec.ingress ?? []), ...(spec.egress ?? [])])
      for (const port of rule.ports ?? []) port.protocol ??= "TCP";
    spec.policyTypes ??= spec.egress?.length > 0 ? ["Ingress", "Egress"] : ["Ingress"];
  },
  rolebindings: fillBinding,
  clusterrolebindings: fillBinding,
};

function fillBinding(object: KubeObject): void {
  if (object["roleRef"]) object["roleRef"].apiGroup ??= "rbac.authorization.k8s.io";
  for (const subject of (object["subjects"] ?? []) as Fields[]) {
    if (subject.kind !== "ServiceAccount") subject.apiGroup ??= "rbac.authorization.k8s.io";
  }
}

function fillWorkload(object: KubeObject): Fields {
  const spec = (object.spec ??= {});
  spec.replicas ??= 1;
  if (spec.template?.spec !== undefined) fillPod(spec.template.spec);
  return spec;
}

function fillJob(spec: Fields, object: KubeObject): void {
  spec.parallelism ??= 1;
  spec.completions ??= 1;
  spec.backoffLimit ??= 6;
  spec.completionMode ??= "NonIndexed";
  spec.suspend ??= false;
  spec.manualSelector ??= false;
  spec.podReplacementPolicy ??= "TerminatingOrFailed";
  if (spec.template?.spec !== undefined) fillPod(spec.template.spec);
  if (spec.manualSelector || spec.selector !== undefined || object.metadata.uid === undefined || spec.template === undefined)
    return;
  spec.selector = { matchLabels: { "batch.kubernetes.io/controller-uid": object.metadata.uid } };
  spec.template.metadata = {
    ...spec.template.metadata,
    labels: {
      ...spec.template.metadata?.labels,
      "batch.kubernetes.io/controller-uid": object.metadata.uid,
      "batch.kubernetes.io/job-name": object.metadata.name,
      "controller-uid": object.metadata.uid,
      "job-name": object.metadata.name,
    },
  };
  if (Object.keys(object.metadata.labels ?? {}).length === 0) object.metadata.labels = spec.template.metadata.labels;
}

function fillPod(spec: Fields): void {
  spec.restartPolicy ??= "Always";
  spec.dnsPolicy ??= "ClusterFirst";
  spec.schedulerName ??= "default-scheduler";
  spec.terminationGracePeriodSeconds ??= 30;
  spec.securityContext ??= {};
  if (spec.serviceAccount !== undefined) spec.serviceAccountName ??= spec.serviceAccount;
  if (spec.serviceAccountName !== undefined) spec.serviceAccount ??= spec.serviceAccountName;
  for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    if (container === null || typeof container !== "object") continue;
    container.terminationMessagePath ??= "/dev/termination-log";
    container.terminationMessagePolicy ??= "File";
    container.resources ??= {};
    if (typeof container.image === "string")
      container.imagePullPolicy ??= isLatest(String(container.image)) ? "Always" : "IfNotPresent";
    for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe]) {
      if (probe)
        Object.assign(probe, { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3, ...probe });
      if (probe?.httpGet) Object.assign(probe.httpGet, { path: "/", scheme: "HTTP", ...probe.httpGet });
    }
  }
  for (const volume of spec.volumes ?? []) {
    if (volume.configMap) volume.configMap.defaultMode ??= 420;
    if (volume.secret) volume.secret.defaultMode ??= 420;
    if (volume.projected) volume.projected.defaultMode ??= 420;
    if (volume.hostPath) volume.hostPath.type ??= "";
  }
}

function fillService(spec: Fields): void {
  spec.type ??= "ClusterIP";
  spec.sessionAffinity ??= "None";
  for (const port of spec.ports ?? []) {
    port.protocol ??= "TCP";
    port.targetPort ??= port.port;
  }
  if (spec.type === "ExternalName") return;
  spec.internalTrafficPolicy ??= "Cluster";
  spec.ipFamilies ??= ["IPv4"];
  spec.ipFamilyPolicy ??= "SingleStack";
  if (spec.type === "NodePort" || spec.type === "LoadBalancer") spec.externalTrafficPolicy ??= "Cluster";
  if (spec.type === "LoadBalancer") spec.allocateLoadBalancerNodePorts ??= true;
}

// An image without a tag or digest has the implicit tag `latest`.
function isLatest(image: string): boolean {
  return image.endsWith(":latest") || !/[:@]/.test(image.slice(image.lastIndexOf("/") + 1));
}

import type { KubeObject } from "../cluster/kube-object.ts";
import { findField } from "../cluster/own-fields.ts";
import { humanDuration } from "./duration.ts";
import { count, since, text, type Column } from "./column.ts";
import { podColumns } from "./pod-columns.ts";

const name: Column = { name: "Name", type: "string", format: "name", cell: ({ metadata }) => metadata.name };
const age = since("Age", ({ metadata }) => metadata.creationTimestamp);
const selector = (of: any): string => labelsText(of?.matchLabels ?? of);
const templates = [
  text(
    "Containers",
    ({ spec }) =>
      containersOf(spec)
        .map((one: any) => one.name)
        .join(","),
    1,
  ),
  text(
    "Images",
    ({ spec }) =>
      containersOf(spec)
        .map((one: any) => one.image)
        .join(","),
    1,
  ),
  text("Selector", ({ spec }) => selector(spec.selector), 1),
];

/** Returns the columns that kubectl shows for a resource. */
export function columnsOf(resource: string): readonly Column[] {
  return [
    resource === "storageclasses" ? classNameColumn : name,
    ...(findField(byResource, resource) ?? [
      { name: "Created At", type: "date", cell: ({ metadata }: KubeObject) => metadata.creationTimestamp },
    ]),
  ];
}

/** Shows the name of a storage class, and marks the default one. */
const classNameColumn: Column = {
  ...name,
  cell: ({ metadata }) =>
    metadata.annotations?.["storageclass.kubernetes.io/is-default-class"] === "true"
      ? `${metadata.name} (default)`
      : metadata.name,
};

const byResource: Record<string, readonly Column[]> = {
  pods: [...podColumns(age)],
  namespaces: [text("Status", ({ status }) => status?.phase), age],
  nodes: [
    text("Status", nodeStatus),
    text("Roles", nodeRoles),
    age,
    text("Version", ({ status }) => status?.nodeInfo?.kubeletVersion),
    text("Internal-IP", (node) => addressOf(node, "InternalIP"), 1),
    text("External-IP", (node) => addressOf(node, "ExternalIP"), 1),
    text("OS-Image", ({ status }) => status?.nodeInfo?.osImage ?? "<unknown>", 1),
    text("Kernel-Version", ({ status }) => status?.nodeInfo?.kernelVersion ?? "<unknown>", 1),
    text("Container-Runtime", ({ status }) => status?.nodeInfo?.containerRuntimeVersion ?? "<unknown>", 1),
  ],
  services: [
    text("Type", ({ spec }) => spec.type),
    text("Cluster-IP", ({ spec }) => spec.clusterIP),
    text("External-IP", externalAddress),
    text("Port(s)", ({ spec }) => portsText(spec.ports)),
    age,
    text("Selector", ({ spec }) => labelsText(spec.selector), 1),
  ],
  endpoints: [text("Endpoints", endpointsText), age],
  endpointslices: [
    text("AddressType", ({ addressType }) => addressType),
    text("Ports", ({ ports }) => list((ports ?? []).map((port: any) => port.port)) ?? "<unset>"),
    text("Endpoints", ({ endpoints }) => list((endpoints ?? []).flatMap((one: any) => one.addresses)) ?? "<unset>"),
    age,
  ],
  configmaps: [count("Data", (one) => Object.keys({ ...one.data, ...one.binaryData }).length), age],
  secrets: [text("Type", ({ type }) => type), count("Data", ({ data }) => Object.keys(data ?? {}).length), age],
  serviceaccounts: [count("Secrets", ({ secrets }) => secrets?.length), age],
  persistentvolumes: [
    text("Capacity", ({ spec }) => spec.capacity?.storage ?? ""),
    text("Access Modes", ({ spec }) => modesText(spec.accessModes)),
    text("Reclaim Policy", ({ spec }) => spec.persistentVolumeReclaimPolicy),
    text("Status", ({ status }) => status?.phase),
    text("Claim", ({ spec }) => (spec.claimRef ? `${spec.claimRef.namespace}/${spec.claimRef.name}` : "")),
    text("StorageClass", ({ spec }) => spec.storageClassName ?? ""),
    text("VolumeAttributesClass", ({ spec }) => spec.volumeAttributesClassName ?? "<unset>"),
    text("Reason", ({ status }) => status?.reason ?? ""),
    age,
    text("VolumeMode", ({ spec }) => spec.volumeMode ?? "<unset>", 1),
  ],
  persistentvolumeclaims: [
    text("Status", ({ status, metadata }) => (metadata.deletionTimestamp ? "Terminating" : status?.phase)),
    text("Volume", ({ spec }) => spec.volumeName ?? ""),
    text("Capacity", ({ status }) => status?.capacity?.storage ?? ""),
    text("Access Modes", ({ status }) => modesText(status?.accessModes)),
    text("StorageClass", ({ spec }) => spec.storageClassName ?? ""),
    text("VolumeAttributesClass", ({ spec }) => spec.volumeAttributesClassName ?? "<unset>"),
    age,
    text("VolumeMode", ({ spec }) => spec.volumeMode ?? "<unset>", 1),
  ],
  storageclasses: [
    text("Provisioner", ({ provisioner }) => provisioner),
    text("ReclaimPolicy", ({ reclaimPolicy }) => reclaimPolicy),
    text("VolumeBindingMode", ({ volumeBindingMode }) => volumeBindingMode),
    { name: "AllowVolumeExpansion", type: "string", cell: (one) => one["allowVolumeExpansion"] === true },
    age,
  ],
  csidrivers: [
    { name: "AttachRequired", type: "boolean", cell: ({ spec }) => spec.attachRequired ?? true },
    { name: "PodInfoOnMount", type: "boolean", cell: ({ spec }) => spec.podInfoOnMount ?? false },
    { name: "StorageCapacity", type: "boolean", cell: ({ spec }) => spec.storageCapacity ?? false },
    text("TokenRequests", ({ spec }) => list((spec.tokenRequests ?? []).map((one: any) => one.audience)) ?? "<unset>"),
    { name: "RequiresRepublish", type: "boolean", cell: ({ spec }) => spec.requiresRepublish ?? false },
    text("Modes", ({ spec }) => list(spec.volumeLifecycleModes) ?? "Persistent"),
    age,
  ],
  csinodes: [count("Drivers", ({ spec }) => spec.drivers?.length), age],
  events: [
    since("Last Seen", (one) => one.lastTimestamp ?? one.eventTime ?? one.metadata.creationTimestamp),
    text("Type", ({ type }) => type),
    text("Reason", ({ reason }) => reason),
    text("Object", ({ involvedObject }) => `${String(involvedObject?.kind).toLowerCase()}/${involvedObject?.name}`),
    text("Subobject", ({ involvedObject }) => involvedObject?.fieldPath ?? "", 1),
    text("Source", ({ source, reportingComponent }) => source?.component ?? reportingComponent ?? "", 1),
    text("Message", ({ message }) => message ?? ""),
    since("First Seen", (one) => one.firstTimestamp ?? one.metadata.creationTimestamp, 1),
    count("Count", (one) => one.count ?? 1, 1),
  ],
  deployments: [
    text("Ready", ({ status, spec }) => `${status?.readyReplicas ?? 0}/${spec.replicas}`),
    count("Up-to-date", ({ status }) => status?.updatedReplicas),
    count("Available", ({ status }) => status?.availableReplicas),
    age,
    ...templates,
  ],
  replicasets: [
    count("Desired", ({ spec }) => spec.replicas),
    count("Current", ({ status }) => status?.replicas),
    count("Ready", ({ status }) => status?.readyReplicas),
    age,
    ...templates,
  ],
  statefulsets: [
    text("Ready", ({ status, spec }) => `${status?.readyReplicas ?? 0}/${spec.replicas}`),
    age,
    ...templates.slice(0, 2),
  ],
  daemonsets: [
    count("Desired", ({ status }) => status?.desiredNumberScheduled),
    count("Current", ({ status }) => status?.currentNumberScheduled),
    count("Ready", ({ status }) => status?.numberReady),
    count("Up-to-date", ({ status }) => status?.updatedNumberScheduled),
    count("Available", ({ status }) => status?.numberAvailable),
    text("Node Selector", ({ spec }) => labelsText(spec.template?.spec?.nodeSelector)),
    age,
    ...templates,
  ],
  jobs: [
    text("Status", jobStatus),
    text("Completions", ({ spec, status }) => `${status?.succeeded ?? 0}/${spec.completions ?? 1}`),
    { name: "Duration", type: "string", cell: jobDuration },
    age,
    ...templates,
  ],
  cronjobs: [
    text("Schedule", ({ spec }) => spec.schedule),
    text("Timezone", ({ spec }) => spec.timeZone),
    text("Suspend", ({ spec }) => (spec.suspend ? "True" : "False")),
    count("Active", ({ status }) => status?.active?.length),
    since("Last Schedule", ({ status }) => status?.lastScheduleTime),
    age,
  ],
  ingresses: [
    text("Class", ({ spec }) => spec?.ingressClassName),
    text("Hosts", ({ spec }) => list((spec?.rules ?? []).map((rule: any) => rule.host ?? "*")) ?? "*"),
    text("Address", ({ status }) => list((status?.loadBalancer?.ingress ?? []).map((one: any) => one.hostname ?? one.ip)) ?? ""),
    text("Ports", ({ spec }) => (spec?.tls?.length ? "80, 443" : "80")),
    age,
  ],
  ingressclasses: [
    text("Controller", ({ spec }) => spec?.controller),
    text("Parameters", ({ spec }) => spec?.parameters?.name),
    age,
  ],
  networkpolicies: [text("Pod-Selector", ({ spec }) => selector(spec?.podSelector)), age],
  roles: [{ name: "Created At", type: "date", cell: ({ metadata }) => metadata.creationTimestamp }],
  clusterroles: [{ name: "Created At", type: "date", cell: ({ metadata }) => metadata.creationTimestamp }],
  rolebindings: [text("Role", ({ roleRef }) => `${roleRef.kind}/${roleRef.name}`), age],
  clusterrolebindings: [text("Role", ({ roleRef }) => `${roleRef.kind}/${roleRef.name}`), age],
  leases: [text("Holder", ({ spec }) => spec?.holderIdentity ?? ""), age],
  poddisruptionbudgets: [
    text("Min Available", ({ spec }) => spec?.minAvailable ?? "N/A"),
    text("Max Unavailable", ({ spec }) => spec?.maxUnavailable ?? "N/A"),
    count("Allowed Disruptions", ({ status }) => status?.disruptionsAllowed),
    age,
  ],
  priorityclasses: [
    count("Value", ({ value }) => value),
    text("Global-Default", ({ globalDefault }) => String(globalDefault ?? false)),
    age,
  ],
  customresourcedefinitions: [{ name: "Created At", type: "date", cell: ({ metadata }) => metadata.creationTimestamp }],
};

function containersOf(spec: any): any[] {
  return spec?.template?.spec?.containers ?? [];
}

function list(items: readonly unknown[] | undefined): string | undefined {
  if (items === undefined || items.length === 0) return undefined;
  return items.length > 3 ? `${items.slice(0, 3).join(",")} + ${items.length - 3} more...` : items.join(",");
}

/** Renders labels as `app=web,tier=front`. */
export function labelsText(labels: Readonly<Record<string, unknown>> | undefined): string {
  const entries = Object.entries(labels ?? {}).filter(([, value]) => typeof value === "string");
  return entries.length === 0 ? "<none>" : entries.map(([key, value]) => `${key}=${String(value)}`).join(",");
}

function nodeStatus({ spec, status }: any): string {
  const isReady = status?.conditions?.find((one: any) => one.type === "Ready")?.status;
  const word = isReady === "True" ? "Ready" : isReady === undefined ? "Unknown" : "NotReady";
  return spec?.unschedulable === true ? `${word},SchedulingDisabled` : word;
}

function nodeRoles({ metadata }: any): string {
  const prefix = "node-role.kubernetes.io/";
  const roles = Object.keys(metadata.labels ?? {}).filter((key) => key.startsWith(prefix));
  return roles.length === 0 ? "<none>" : roles.map((key) => key.slice(prefix.length)).join(",");
}

function addressOf({ status }: any, type: string): string | undefined {
  return status?.addresses?.find((one: any) => one.type === type)?.address;
}

function externalAddress({ spec, status }: any): string {
  if (spec.type === "ExternalName") return spec.externalName;
  const ingress = (status?.loadBalancer?.ingress ?? []).map((one: any) => one.hostname ?? one.ip);
  if (spec.type === "LoadBalancer") return ingress.length > 0 ? ingress.join(",") : "<pending>";
  return spec.externalIPs?.length > 0 ? spec.externalIPs.join(",") : "<none>";
}

function portsText(ports: any[] = []): string | undefined {
  if (ports.length === 0) return undefined;
  return ports.map((one) => `${one.port}${one.nodePort ? `:${one.nodePort}` : ""}/${one.protocol}`).join(",");
}

function endpointsText({ subsets }: any): string | undefined {
  const all = (subsets ?? []).flatMap((one: any) =>
    (one.addresses ?? []).flatMap(({ ip }: any) => (one.ports ?? []).map((port: any) => `${ip}:${port.port}`)),
  );
  return list(all);
}

function modesText(modes: readonly string[] = []): string {
  const short: Record<string, string> = {
    ReadWriteOnce: "RWO",
    ReadOnlyMany: "ROX",
    ReadWriteMany: "RWX",
    ReadWriteOncePod: "RWOP",
  };
  return modes.map((mode) => findField(short, mode) ?? mode).join(",");
}

function jobStatus({ status, spec, metadata }: any): string {
  const has = (type: string): boolean =>
    (status?.conditions ?? []).some((one: any) => one.type === type && one.status === "True");
  if (has("Complete")) return "Complete";
  if (has("Failed")) return "Failed";
  if (metadata.deletionTimestamp) return "Terminating";
  return spec.suspend ? "Suspended" : "Running";
}

function jobDuration({ status }: KubeObject, nowMs: number): string {
  if (status?.startTime === undefined) return "";
  return humanDuration((status.completionTime ? Date.parse(status.completionTime) : nowMs) - Date.parse(status.startTime));
}

import { resolveVersion } from "./gke-versions.ts";
import { dropNulls, listAt, mergePatch, objectAt, Refusal, textAt, type Resource } from "./reply.ts";

/** Adds the fields that GKE fills in when it creates a cluster. */
export function completeCluster(asked: Resource, { project, location }: { project: string; location: string }): Resource {
  const isZonal = /-[a-z]$/.test(location);
  const name = textAt(asked, "name");
  const version = resolveVersion(textAt(asked, "initialClusterVersion"));
  const { nodeConfig: _nodeConfig, initialNodeCount: _initialNodeCount, ...cluster } = dropNulls(asked);
  const settings: Resource = {
    autoscaling: { autoscalingProfile: "BALANCED" },
    anonymousAuthenticationConfig: { mode: "ENABLED" },
    binaryAuthorization: {},
    enterpriseConfig: { clusterTier: "STANDARD" },
    legacyAbac: {},
    notificationConfig: { pubsub: {} },
    nodePoolDefaults: {
      nodeConfigDefaults: {
        loggingConfig: { variantConfig: { variant: "DEFAULT" } },
        nodeKubeletConfig: { insecureKubeletReadonlyPortEnabled: false },
      },
    },
    nodePoolAutoConfig: { nodeKubeletConfig: { insecureKubeletReadonlyPortEnabled: false } },
    podAutoscaling: { hpaProfile: "NONE" },
    rbacBindingConfig: { enableInsecureBindingSystemAuthenticated: true, enableInsecureBindingSystemUnauthenticated: true },
    secretManagerConfig: {},
    securityPostureConfig: { mode: "BASIC", vulnerabilityMode: "VULNERABILITY_MODE_UNSPECIFIED" },
    userManagedKeysConfig: {},
    ...cluster,
    addonsConfig: {
      kubernetesDashboard: { disabled: true },
      networkPolicyConfig: { disabled: true },
      gcsFuseCsiDriverConfig: {},
      highScaleCheckpointingConfig: {},
      ...objectAt(cluster, "addonsConfig"),
    },
    defaultMaxPodsConstraint: { maxPodsPerNode: "110" },
    ipAllocationPolicy: {
      stackType: "IPV4",
      podCidrOverprovisionConfig: {},
      clusterIpv4Cidr: "10.0.128.0/17",
      servicesIpv4Cidr: "10.0.64.0/20",
      clusterIpv4CidrBlock: "10.0.128.0/17",
      servicesIpv4CidrBlock: "10.0.64.0/20",
      defaultPodIpv4RangeUtilization: 0.004,
      ...objectAt(cluster, "ipAllocationPolicy"),
    },
    clusterIpv4Cidr: "10.0.128.0/17",
    servicesIpv4Cidr: "10.0.64.0/20",
    networkConfig: {
      defaultSnatStatus: {},
      serviceExternalIpsConfig: {},
      ...objectAt(cluster, "networkConfig"),
      network: textAt(asked, "network"),
      subnetwork: textAt(asked, "subnetwork"),
    },
    network: textAt(asked, "network").split("/").at(-1),
    subnetwork: textAt(asked, "subnetwork").split("/").at(-1),
    masterAuth: { clientCertificateConfig: {}, clusterCaCertificate: Buffer.from("certificate").toString("base64") },
    location,
    zone: location,
    locations: asked["locations"] ?? (isZonal ? [location] : ["b", "c", "d"].map((letter) => `${location}-${letter}`)),
    initialClusterVersion: version,
    currentMasterVersion: version,
    currentNodeVersion: version,
    endpoint: "34.77.1.1",
    id: "0123456789abcdef",
    etag: "etag",
    labelFingerprint: "f0",
    maintenancePolicy: { resourceVersion: "v0", ...objectAt(asked, "maintenancePolicy") },
    selfLink: `https://container.googleapis.com/v1/projects/${project}/${isZonal ? "zones" : "locations"}/${location}/clusters/${name}`,
    createTime: "2026-01-01T00:00:00+00:00",
    status: "RUNNING",
  };
  return derive(settings);
}

/** Maps update fields that set a nested field of the cluster to that field's path. */
const places: Readonly<Record<string, string>> = {
  desiredDefaultEnablePrivateNodes: "networkConfig.defaultEnablePrivateNodes",
  desiredGatewayApiConfig: "networkConfig.gatewayApiConfig",
  desiredDnsConfig: "networkConfig.dnsConfig",
};

/** Returns the cluster with an update applied. */
export function applyClusterUpdate(cluster: Resource, update: Resource): Resource {
  const changed = { ...cluster };
  for (const [field, value] of Object.entries(update)) {
    if (field === "desiredMasterVersion") changed["currentMasterVersion"] = resolveVersion(String(value));
    else if (field === "desiredAddonsConfig")
      changed["addonsConfig"] = mergePatch(objectAt(changed, "addonsConfig"), value as Resource);
    else if (field === "desiredControlPlaneEndpointsConfig") {
      changed["controlPlaneEndpointsConfig"] = value;
    } else {
      const place = places[field] ?? field.replace(/^desired(.)/, (_all, letter: string) => letter.toLowerCase());
      const [outer = "", inner] = place.split(".");
      if (inner !== undefined) changed[outer] = { ...objectAt(changed, outer), [inner]: value };
      else if (outer in changed || settable.has(outer)) changed[outer] = value;
      else throw new Refusal(501, `The local GKE does not know the update ${field}`);
    }
  }
  return derive(changed);
}

const settable = new Set([
  "authenticatorGroupsConfig",
  "costManagementConfig",
  "databaseEncryption",
  "meshCertificates",
  "verticalPodAutoscaling",
]);

/** Returns the cluster with the fields that GKE derives from other fields. */
function derive(cluster: Resource): Resource {
  const endpoints = objectAt(cluster, "controlPlaneEndpointsConfig");
  const ip = objectAt(endpoints, "ipEndpointsConfig");
  const isPublic = ip["enablePublicEndpoint"] === true;
  const range = textAt(objectAt(cluster, "privateClusterConfig"), "masterIpv4CidrBlock");
  const authorized = dropFalse(objectAt(ip, "authorizedNetworksConfig"));
  if (!isPublic && authorized["enabled"] !== true) {
    throw new Refusal(400, "A private endpoint requires authorized networks");
  }
  for (const block of listAt(authorized, "cidrBlocks")) checkRange(textAt(block, "cidrBlock"));
  const logs = listComponents(cluster, "loggingConfig");
  const metrics = listComponents(cluster, "monitoringConfig");
  const monitoring = objectAt(cluster, "monitoringConfig");
  const prometheus = objectAt(monitoring, "managedPrometheusConfig");
  const encryption = objectAt(cluster, "databaseEncryption");
  if ((encryption["state"] === "ENCRYPTED") !== (textAt(encryption, "keyName") !== "")) {
    throw new Refusal(400, "The state of the encryption and its key do not match");
  }
  const posture = objectAt(cluster, "securityPostureConfig");
  return {
    ...cluster,
    controlPlaneEndpointsConfig: {
      dnsEndpointConfig: {
        ...dropFalse(objectAt(endpoints, "dnsEndpointConfig")),
        endpoint: "gke-0123456789abcdef.europe-west1.gke.goog",
      },
      ipEndpointsConfig: {
        ...dropFalse(ip),
        enabled: ip["enabled"] === true,
        authorizedNetworksConfig: authorized,
        privateEndpoint: "10.0.0.2",
        ...(isPublic ? { publicEndpoint: "34.77.1.1" } : {}),
        // GKE reports the subnet of the private endpoint only if the control plane's addresses come from the cluster's subnet.
        ...(range === "" ? { privateEndpointSubnetwork: textAt(objectAt(cluster, "networkConfig"), "subnetwork") } : {}),
      },
    },
    masterAuthorizedNetworksConfig: authorized,
    privateClusterConfig: {
      enablePrivateNodes: true,
      ...(isPublic ? { publicEndpoint: "34.77.1.1" } : { enablePrivateEndpoint: true }),
      privateEndpoint: "10.0.0.2",
      ...(range === "" ? {} : { masterIpv4CidrBlock: range }),
    },
    endpoint: isPublic ? "34.77.1.1" : "10.0.0.2",
    loggingService: logs.length === 0 ? "none" : "logging.googleapis.com/kubernetes",
    monitoringService: metrics.length === 0 ? "none" : "monitoring.googleapis.com/kubernetes",
    loggingConfig: { componentConfig: logs.length === 0 ? {} : { enableComponents: logs } },
    monitoringConfig: {
      advancedDatapathObservabilityConfig: {},
      ...monitoring,
      componentConfig: metrics.length === 0 ? {} : { enableComponents: metrics },
      managedPrometheusConfig: dropFalse(prometheus),
    },
    databaseEncryption: {
      ...encryption,
      state: textAt(encryption, "state") || "DECRYPTED",
      currentState: encryption["state"] === "ENCRYPTED" ? "CURRENT_STATE_ENCRYPTED" : "CURRENT_STATE_DECRYPTED",
    },
    securityPostureConfig: posture,
  };
}

function listComponents(cluster: Resource, field: string): string[] {
  const components = objectAt(objectAt(cluster, field), "componentConfig")["enableComponents"];
  const list = Array.isArray(components) ? components.map(String) : [];
  if (list.length > 0 && !list.includes("SYSTEM_COMPONENTS"))
    throw new Refusal(400, "SYSTEM_COMPONENTS is required by other components");
  return list;
}

/** Removes members that are false or an empty string, as the APIs do in responses. */
function dropFalse(resource: Resource): Resource {
  return Object.fromEntries(Object.entries(resource).filter(([, value]) => value !== false && value !== ""));
}

/** Throws if a CIDR range is malformed or has host bits set. GKE rejects such ranges. */
function checkRange(range: string): void {
  const [, a = "", b = "", c = "", d = "", prefix = ""] = /^(\d+)\.(\d+)\.(\d+)\.(\d+)\/(\d+)$/.exec(range) ?? [];
  const bits = [a, b, c, d].map((part) => Number(part).toString(2).padStart(8, "0")).join("");
  if (prefix === "" || bits.slice(Number(prefix)).includes("1")) throw new Refusal(400, `The range ${range} is invalid`);
}

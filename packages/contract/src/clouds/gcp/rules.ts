import type { GcpAccount } from "../../../gen/cloudwright/v1/account_pb.ts";
import type { GcpCluster } from "../../../gen/cloudwright/v1/cluster_pb.ts";
import type { GcpNodePool } from "../../../gen/cloudwright/v1/node_pool_pb.ts";
import type { CloudRules } from "../cloud-rules.ts";
import { checkNetwork } from "./check-network.ts";

const rangeWords =
  "be the name of a secondary range: up to 63 lower-case letters, digits and dashes, starting with a letter and not ending with a dash";
const keyWords = "be the full name of a KMS key such as projects/my-project/locations/europe-west1/keyRings/ring/cryptoKeys/key";
const accountWords =
  "be the email address of a service account such as gke-nodes@my-project.iam.gserviceaccount.com. The part before the @ has 6 to 30 characters";

export const gcpRules: CloudRules = {
  accountRules: {
    "gcp.one_way": ({ serviceAccountKey, agentCredentials, workloadIdentityProvider }: GcpAccount) =>
      [serviceAccountKey !== undefined, agentCredentials, workloadIdentityProvider !== ""].filter(Boolean).length <= 1,
  },
  checkNetwork,
  listNetworkSettings(cloud) {
    if (cloud.case !== "gcp") return [];
    const { routing, loadBalancerIps, natIps, flowLogs, podCidr, serviceCidr, withoutPrivateGoogleAccess, mtu } = cloud.value;
    const { natLogs, natPortsPerMachine, flowLogSamplingPercent, firewallLogs } = cloud.value;
    return [
      ["spec.gcp.routing", routing !== ""],
      ["spec.gcp.loadBalancerIps", loadBalancerIps > 0],
      ["spec.gcp.natIps", natIps > 0],
      ["spec.gcp.flowLogs", flowLogs],
      ["spec.gcp.flowLogSamplingPercent", flowLogSamplingPercent > 0],
      ["spec.gcp.podCidr", podCidr !== ""],
      ["spec.gcp.serviceCidr", serviceCidr !== ""],
      ["spec.gcp.withoutPrivateGoogleAccess", withoutPrivateGoogleAccess],
      ["spec.gcp.mtu", mtu > 0],
      ["spec.gcp.natLogs", natLogs !== ""],
      ["spec.gcp.natPortsPerMachine", natPortsPerMachine > 0],
      ["spec.gcp.firewallLogs", firewallLogs],
    ];
  },
  clusterRules: {
    "gcp_cluster.log_types_none": ({ logTypes }: GcpCluster) => !logTypes.includes("none") || logTypes.length === 1,
    "gcp_cluster.monitoring_none": ({ monitoring }: GcpCluster) => !monitoring.includes("none") || monitoring.length === 1,
    "gcp_cluster.one_key": ({ createKmsKey, kmsKey }: GcpCluster) => !createKmsKey || kmsKey === "",
    "gcp_cluster.no_autopilot": ({ autopilot }: GcpCluster) => !autopilot,
  },
  nodePoolRules: {
    "gcp_node_pool.accelerator": ({ accelerator, acceleratorCount }: GcpNodePool) =>
      (accelerator === "") === (acceleratorCount === 0),
    "gcp_node_pool.surge": ({ maxSurge, maxUnavailable }: GcpNodePool) =>
      maxSurge === undefined || maxSurge > 0 || maxUnavailable > 0,
  },
  patternWords: {
    "^([a-z]|[a-z]+(-[a-z]+)+[0-9]+-[a-z])?$": "be a zone such as europe-west1-b, or its last letter",
    "^(projects/[a-z][a-z0-9:.-]{1,61}/locations/[a-z0-9-]+/keyRings/[A-Za-z0-9_-]{1,63}/cryptoKeys/[A-Za-z0-9_-]{1,63})?$":
      keyWords,
    "^(([a-z][a-z0-9-]{4,28}[a-z0-9]@[a-z0-9.-]{1,63}[.]iam|[0-9]{1,20}-compute@developer|[a-z0-9.-]{1,63}@appspot)[.]gserviceaccount[.]com)?$":
      accountWords,
    "^([a-z][a-z0-9-]{4,28}[a-z0-9]@[a-z0-9.-]{1,63}[.]iam|[0-9]{1,20}-compute@developer|[a-z0-9.-]{1,63}@appspot)[.]gserviceaccount[.]com$":
      accountWords,
    "^([0-9]{1,3}[.][0-9]{1,3}[.][0-9]{1,3}[.][0-9]{1,3}/28)?$": "be a range with prefix length 28, such as 172.16.0.0/28",
    "^(gke-security-groups@[a-z0-9.-]{1,200})?$": "be the address gke-security-groups@ followed by your domain",
    "^([01][0-9]|2[0-3]):[0-5][0-9]$": "be a time such as 03:00",
    "^([a-z][a-z0-9-]{0,62})?$": "be the name of a GPU type such as nvidia-l4",
    "^([a-z][a-z0-9-]{4,28}[a-z0-9])?$":
      "be the id of a Google Cloud project: 6 to 30 lower-case letters, digits and dashes, starting with a letter and not ending with a dash",
    "^([a-z]([a-z0-9-]{0,61}[a-z0-9])?)?$": rangeWords,
    "^([a-z][a-z0-9-]{4,28}[a-z0-9]@[a-z][a-z0-9-]{4,28}[a-z0-9][.]iam[.]gserviceaccount[.]com)?$":
      "be the email address of a service account such as cloudwright@my-project.iam.gserviceaccount.com",
    "^(projects/[0-9]{1,20}/locations/global/workloadIdentityPools/[a-z0-9-]{4,32}/providers/[a-z0-9-]{4,32})?$":
      "be the full name of a workload identity provider such as projects/123456789012/locations/global/workloadIdentityPools/agents/providers/cloudwright",
    "^[a-z0-9-]{1,63}([*]|@[a-z0-9.-]{1,100}[.]gserviceaccount[.]com)$":
      "be the email address of a service account, or the start of one followed by `*`, such as gke-nodes@my-project.iam.gserviceaccount.com",
  },
};

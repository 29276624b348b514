import type { EntityByKind } from "@cloudwright/api-client";
import { mono, monoLines } from "../../kinds/mono.tsx";
import type { CloudView, CredentialField } from "../cloud-view.ts";
import { gcpClusterSettings } from "./cluster-settings.ts";
import { gcpExistingNetwork, gcpNetworkSettings } from "./network-settings.ts";
import { gcpNodePoolSettings } from "./node-pool-settings.ts";
import { planAddresses } from "./plan-addresses.ts";
import { gcpBucketSettings, gcpVolumeSettings } from "./storage-settings.ts";

const impersonated: CredentialField = {
  name: "serviceAccount",
  label: "Service account to impersonate",
  placeholder: "cloudwright@my-project.iam.gserviceaccount.com",
  isShared: true,
};

export const gcpView: CloudView = {
  methods: [
    { value: "agent", label: "Agent's own credentials", fields: [impersonated], settings: { agentCredentials: true } },
    {
      value: "federation",
      label: "Workload identity federation",
      fields: [
        {
          name: "workloadIdentityProvider",
          label: "Workload identity provider",
          placeholder: "projects/123456789012/locations/global/workloadIdentityPools/agents/providers/cloudwright",
        },
        impersonated,
      ],
    },
    {
      value: "key",
      label: "Service account key",
      fields: [{ name: "serviceAccountKey", label: "Service account key (JSON)", input: "secret-text" }],
    },
  ],
  accountFields: [{ name: "projectId", label: "Project id", description: "Credentials for any other project are rejected." }],
  listAccountFacts(account) {
    const { projectId, serviceAccount } = account as NonNullable<NonNullable<EntityByKind["Account"]["spec"]>["gcp"]>;
    return [
      ["Project id", projectId],
      ["Service account", mono(serviceAccount)],
    ];
  },
  zones: ["a", "b", "c", "d", "f"],
  zoneCount: 3,
  icon: "hexagon",
  words: {
    network: "VPC network",
    cluster: "GKE cluster",
    nodePool: "node pool",
    bucket: "Cloud Storage bucket",
    volume: "persistent disk",
  },
  settings: {
    newNetwork: gcpNetworkSettings,
    existingNetwork: gcpExistingNetwork,
    cluster: gcpClusterSettings,
    nodePool: gcpNodePoolSettings,
    bucket: gcpBucketSettings,
    volume: gcpVolumeSettings,
  },
  egress: [
    ["", "Default: none"],
    ["single", "Cloud NAT in all zones of the region"],
    ["per-zone", "Per zone (Cloud NAT is always regional)"],
    ["none", "None: nodes have no internet access"],
  ],
  planAddresses,
  listNetworkFacts: ({ networkId, privateSubnetIds, podRangeName, serviceRangeName }) => [
    ["VPC network", monoLines(networkId)],
    ["Subnet", monoLines(privateSubnetIds)],
    ["Range for pods", monoLines(podRangeName)],
    ["Range for Services", monoLines(serviceRangeName)],
  ],
  sampleError: "ZONE_RESOURCE_POOL_EXHAUSTED: the zone does not have enough resources",
  resourceIcons: [
    [/^google_(service_account|project_iam)/, "access"],
    [/^google_container_/, "cluster"],
    [/^google_(storage_|compute_disk|filestore)/, "storage"],
  ],
};

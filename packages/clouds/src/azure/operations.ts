/** A call to Azure Resource Manager. The path contains parameters in braces. */
export interface Operation {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly apiVersion: string;
}

const subscription = "/subscriptions/{subscriptionId}";
const group = `${subscription}/resourceGroups/{resourceGroupName}`;
const compute = `${subscription}/providers/Microsoft.Compute`;
const network = `${subscription}/providers/Microsoft.Network`;
const containers = `${subscription}/providers/Microsoft.ContainerService`;
const cluster = `${group}/providers/Microsoft.ContainerService/managedClusters/{resourceName}`;
const storage = `${subscription}/providers/Microsoft.Storage`;

/**
 * All calls to Azure Resource Manager that this package makes. Tests compare the calls with Azure's API models and descriptions, and the
 * permissions that they require with the least-privilege role.
 */
export const operations = {
  listSubscriptions: { method: "GET", path: "/subscriptions", apiVersion: "2022-12-01" },
  getSubscription: { method: "GET", path: subscription, apiVersion: "2022-12-01" },
  listLocations: { method: "GET", path: `${subscription}/locations`, apiVersion: "2022-12-01" },
  listProviders: { method: "GET", path: `${subscription}/providers`, apiVersion: "2021-04-01" },
  listPermissions: {
    method: "GET",
    path: `${subscription}/providers/Microsoft.Authorization/permissions`,
    apiVersion: "2022-04-01",
  },
  listGroupPermissions: {
    method: "GET",
    path: `${group}/providers/Microsoft.Authorization/permissions`,
    apiVersion: "2022-04-01",
  },
  listResources: { method: "GET", path: `${subscription}/resources`, apiVersion: "2021-04-01" },
  listGroups: { method: "GET", path: `${subscription}/resourcegroups`, apiVersion: "2021-04-01" },
  createGroup: { method: "PUT", path: `${subscription}/resourcegroups/{resourceGroupName}`, apiVersion: "2021-04-01" },
  moveResources: { method: "POST", path: `${group}/moveResources`, apiVersion: "2021-04-01" },
  listNetworks: { method: "GET", path: `${network}/virtualNetworks`, apiVersion: "2024-05-01" },
  listPublicIps: { method: "GET", path: `${network}/publicIPAddresses`, apiVersion: "2024-05-01" },
  listNatGateways: { method: "GET", path: `${network}/natGateways`, apiVersion: "2024-05-01" },
  listNetworkUsages: { method: "GET", path: `${network}/locations/{location}/usages`, apiVersion: "2024-05-01" },
  getNetworkResource: { method: "GET", path: "{resourceId}", apiVersion: "2024-05-01" },
  deleteNetworkResource: { method: "DELETE", path: "{resourceId}", apiVersion: "2024-05-01" },
  listComputeUsages: { method: "GET", path: `${compute}/locations/{location}/usages`, apiVersion: "2025-04-01" },
  listImages: {
    method: "GET",
    path: `${compute}/locations/{location}/publishers/{publisherName}/artifacttypes/vmimage/offers/{offer}/skus/{skus}/versions`,
    apiVersion: "2025-04-01",
  },
  listSkus: { method: "GET", path: `${compute}/skus`, apiVersion: "2021-07-01" },
  listDisks: { method: "GET", path: `${compute}/disks`, apiVersion: "2025-01-02" },
  getDisk: { method: "GET", path: `${group}/providers/Microsoft.Compute/disks/{diskName}`, apiVersion: "2025-01-02" },
  updateDisk: { method: "PATCH", path: `${group}/providers/Microsoft.Compute/disks/{diskName}`, apiVersion: "2025-01-02" },
  deleteDisk: { method: "DELETE", path: `${group}/providers/Microsoft.Compute/disks/{diskName}`, apiVersion: "2025-01-02" },
  listVersions: { method: "GET", path: `${containers}/locations/{location}/kubernetesVersions`, apiVersion: "2025-10-01" },
  listClusters: { method: "GET", path: `${containers}/managedClusters`, apiVersion: "2025-10-01" },
  listPools: { method: "GET", path: `${cluster}/agentPools`, apiVersion: "2025-10-01" },
  listUserCredentials: { method: "POST", path: `${cluster}/listClusterUserCredential`, apiVersion: "2025-10-01" },
  listRoleAssignments: {
    method: "GET",
    path: `${subscription}/providers/Microsoft.Authorization/roleAssignments`,
    apiVersion: "2022-04-01",
  },
  listFederatedCredentials: { method: "GET", path: "{resourceId}/federatedIdentityCredentials", apiVersion: "2023-01-31" },
  listKeys: { method: "GET", path: "{resourceId}/keys", apiVersion: "2023-07-01" },
  getKey: { method: "GET", path: "{resourceId}/keys/{keyName}", apiVersion: "2023-07-01" },
  getManagementPolicy: { method: "GET", path: "{resourceId}/managementPolicies/{policyName}", apiVersion: "2023-05-01" },
  listContainers: { method: "GET", path: "{resourceId}/blobServices/default/containers", apiVersion: "2023-05-01" },
  listStorageAccounts: { method: "GET", path: `${storage}/storageAccounts`, apiVersion: "2023-05-01" },
  checkStorageName: { method: "POST", path: `${storage}/checkNameAvailability`, apiVersion: "2023-05-01" },
  listEvents: {
    method: "GET",
    path: `${subscription}/providers/Microsoft.Insights/eventtypes/management/values`,
    apiVersion: "2015-04-01",
  },
} as const satisfies Record<string, Operation>;

import type { Operation } from "../operations.ts";

const subscription = "/subscriptions/{subscriptionId}";
const group = `${subscription}/resourceGroups/{resourceGroupName}`;
const cluster = `${group}/providers/Microsoft.ContainerService/managedClusters/{resourceName}`;
const pool = `${cluster}/agentPools/{agentPoolName}`;
const machines = `${group}/providers/Microsoft.Compute/virtualMachines`;
const machine = `${machines}/{vmName}`;
const network = `${subscription}/providers/Microsoft.Network`;
const interfaceCard = `${group}/providers/Microsoft.Network/networkInterfaces/{networkInterfaceName}`;
const address = `${group}/providers/Microsoft.Network/publicIPAddresses/{publicIpAddressName}`;
const applicationGroup = `${group}/providers/Microsoft.Network/applicationSecurityGroups/{applicationSecurityGroupName}`;
const securityGroup = `${group}/providers/Microsoft.Network/networkSecurityGroups/{networkSecurityGroupName}`;
const disk = `${group}/providers/Microsoft.Compute/disks/{diskName}`;

const resourceGroup = `${subscription}/resourcegroups/{resourceGroupName}`;
const identities = "providers/Microsoft.ManagedIdentity/userAssignedIdentities";
const identity = `${group}/${identities}/{resourceName}`;
const roleAssignment = "{resourceId}/providers/Microsoft.Authorization/roleAssignments/{roleAssignmentName}";

const aks = "2025-10-01";
const compute = "2025-04-01";
const disks = "2025-01-02";
const networks = "2024-05-01";

/** The library's own calls to Azure Resource Manager. Tests compare them with Azure's API models and descriptions. */
export const libraryOperations = {
  listGroupClusters: {
    method: "GET",
    path: `${group}/providers/Microsoft.ContainerService/managedClusters`,
    apiVersion: aks,
  },
  getCluster: { method: "GET", path: cluster, apiVersion: aks },
  putCluster: { method: "PUT", path: cluster, apiVersion: aks },
  deleteCluster: { method: "DELETE", path: cluster, apiVersion: aks },
  getPool: { method: "GET", path: pool, apiVersion: aks },
  putPool: { method: "PUT", path: pool, apiVersion: aks },
  deletePool: { method: "DELETE", path: pool, apiVersion: aks },
  listMachines: { method: "GET", path: `${subscription}/providers/Microsoft.Compute/virtualMachines`, apiVersion: compute },
  listGroupMachines: { method: "GET", path: machines, apiVersion: compute },
  getMachine: { method: "GET", path: machine, apiVersion: compute },
  getMachineView: { method: "GET", path: `${machine}/instanceView`, apiVersion: compute },
  putMachine: { method: "PUT", path: machine, apiVersion: compute },
  updateMachine: { method: "PATCH", path: machine, apiVersion: compute },
  deleteMachine: { method: "DELETE", path: machine, apiVersion: compute },
  startMachine: { method: "POST", path: `${machine}/start`, apiVersion: compute },
  deallocateMachine: { method: "POST", path: `${machine}/deallocate`, apiVersion: compute },
  readBootDiagnostics: { method: "POST", path: `${machine}/retrieveBootDiagnosticsData`, apiVersion: compute },
  changeDataDisks: { method: "POST", path: `${machine}/attachDetachDataDisks`, apiVersion: compute },
  listGroupDisks: { method: "GET", path: `${group}/providers/Microsoft.Compute/disks`, apiVersion: disks },
  putDisk: { method: "PUT", path: disk, apiVersion: disks },
  listApplicationGroups: { method: "GET", path: `${network}/applicationSecurityGroups`, apiVersion: networks },
  listGroupApplicationGroups: {
    method: "GET",
    path: `${group}/providers/Microsoft.Network/applicationSecurityGroups`,
    apiVersion: networks,
  },
  getApplicationGroup: { method: "GET", path: applicationGroup, apiVersion: networks },
  putApplicationGroup: { method: "PUT", path: applicationGroup, apiVersion: networks },
  deleteApplicationGroup: { method: "DELETE", path: applicationGroup, apiVersion: networks },
  listSecurityGroups: { method: "GET", path: `${network}/networkSecurityGroups`, apiVersion: networks },
  listGroupSecurityGroups: {
    method: "GET",
    path: `${group}/providers/Microsoft.Network/networkSecurityGroups`,
    apiVersion: networks,
  },
  getSecurityGroup: { method: "GET", path: securityGroup, apiVersion: networks },
  putSecurityGroup: { method: "PUT", path: securityGroup, apiVersion: networks },
  deleteSecurityGroup: { method: "DELETE", path: securityGroup, apiVersion: networks },
  listInterfaces: { method: "GET", path: `${network}/networkInterfaces`, apiVersion: networks },
  listGroupInterfaces: { method: "GET", path: `${group}/providers/Microsoft.Network/networkInterfaces`, apiVersion: networks },
  getInterface: { method: "GET", path: interfaceCard, apiVersion: networks },
  putInterface: { method: "PUT", path: interfaceCard, apiVersion: networks },
  deleteInterface: { method: "DELETE", path: interfaceCard, apiVersion: networks },
  listGroupAddresses: { method: "GET", path: `${group}/providers/Microsoft.Network/publicIPAddresses`, apiVersion: networks },
  getAddress: { method: "GET", path: address, apiVersion: networks },
  putAddress: { method: "PUT", path: address, apiVersion: networks },
  deleteAddress: { method: "DELETE", path: address, apiVersion: networks },
  getGroup: { method: "GET", path: resourceGroup, apiVersion: "2021-04-01" },
  putGroup: { method: "PUT", path: resourceGroup, apiVersion: "2021-04-01" },
  deleteGroup: { method: "DELETE", path: resourceGroup, apiVersion: "2021-04-01" },
  listGroupResources: { method: "GET", path: `${group}/resources`, apiVersion: "2021-04-01" },
  listIdentities: { method: "GET", path: `${subscription}/${identities}`, apiVersion: "2023-01-31" },
  listGroupIdentities: { method: "GET", path: `${group}/${identities}`, apiVersion: "2023-01-31" },
  getIdentity: { method: "GET", path: identity, apiVersion: "2023-01-31" },
  putIdentity: { method: "PUT", path: identity, apiVersion: "2023-01-31" },
  deleteIdentity: { method: "DELETE", path: identity, apiVersion: "2023-01-31" },
  getRoleAssignment: { method: "GET", path: roleAssignment, apiVersion: "2022-04-01" },
  putRoleAssignment: { method: "PUT", path: roleAssignment, apiVersion: "2022-04-01" },
  deleteRoleAssignment: { method: "DELETE", path: roleAssignment, apiVersion: "2022-04-01" },
} as const satisfies Record<string, Operation>;

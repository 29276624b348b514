import { getCloud, type CloudName } from "@cloudwright/contract/clouds";
import { Fault } from "@cloudwright/platform";
import type { Capability, CloudAccount, CloudProvider } from "./cloud-provider.ts";
import { cloudsFaults } from "./faults.ts";

const titles: Readonly<Record<Capability, string>> = {
  identity: "verifying credentials",
  view: "running preflight checks",
  "owned-resources": "finding an entity's resources",
  objects: "counting the objects in a bucket",
  leftovers: "finding leftover resources",
  "cluster-access": "cluster access",
  terraform: "providing credentials to Terraform",
  policy: "printing a least-privilege policy",
  "own-token": "creating cluster tokens with your own identity",
  "audit-trail": "finding out who changed a resource",
  clusters: "changing clusters without Terraform",
  direct: "building clusters without Terraform",
  library: "reading and managing clusters that the platform did not create",
};

export function notImplemented(cloud: CloudName, capability: Capability): Fault {
  const message = `${titles[capability]} is not implemented for ${getCloud(cloud).title} yet`;
  return new Fault(cloudsFaults.not_implemented, message, { extra: { cloud, capability } });
}

/** Creates a provider without capabilities. A new cloud starts from it and replaces one capability at a time. */
export function createEmptyProvider(name: CloudName): CloudProvider {
  return {
    name,
    facts: getCloud(name),
    capabilities: new Set(),
    getPolicy: () => {
      throw notImplemented(name, "policy");
    },
    openAccount: () => createEmptyAccount(name),
    createOwnToken: async () => Promise.reject(notImplemented(name, "own-token")),
  };
}

/** Creates an account that throws `clouds.not_implemented` for every capability. */
export function createEmptyAccount(name: CloudName): CloudAccount {
  const refuse = (capability: Capability) => async (): Promise<never> => Promise.reject(notImplemented(name, capability));
  const [seen, left, cluster] = [refuse("view"), refuse("leftovers"), refuse("clusters")];
  return {
    verify: refuse("identity"),
    view: {
      getIdentity: seen,
      listDenied: seen,
      listZones: seen,
      getLimits: seen,
      listNetworks: seen,
      listPublicIps: seen,
      listNatGateways: seen,
      listInternetGateways: seen,
      listMachines: seen,
      listOffered: seen,
      listVersions: seen,
      findCluster: seen,
      findBucket: seen,
    },
    listOwned: refuse("owned-resources"),
    countObjects: refuse("objects"),
    findAuthors: refuse("audit-trail"),
    leftovers: { list: left, remove: left, retain: left },
    clusters: { findAddress: cluster, findPrincipal: cluster, countNodes: cluster, unprotect: cluster },
    openCluster: refuse("cluster-access"),
    openTerraform: refuse("terraform"),
    openDirect: refuse("direct"),
    openLibrary: refuse("library"),
    findTrouble: () => undefined,
    isCredentialRefusal: () => false,
    close: async () => undefined,
  };
}

import type { AccountView } from "@cloudwright/clouds";

/** Creates an account view that passes every check. Tests override individual methods. */
export function createFakeView(given: Partial<AccountView> = {}): AccountView {
  const zones = ["eu-west-1a", "eu-west-1b", "eu-west-1c"];
  return {
    getIdentity: async () => ({ accountId: "123456789012", identity: "arn:aws:iam::123456789012:user/ada" }),
    listDenied: async () => [],
    listZones: async () => zones,
    getLimits: async () => ({ networks: 5, publicIps: 5, natGatewaysPerZone: 5, internetGateways: 5, vcpus: 32 }),
    listNetworks: async () => [],
    listPublicIps: async () => [],
    listNatGateways: async () => [],
    listInternetGateways: async () => [],
    listMachines: async () => [],
    listOffered: async (types) => types.map((name) => ({ name, vcpus: 2, zones, isCommon: /^[a-z]\d/.test(name) })),
    listVersions: async () => ["1.33", "1.34"],
    findCluster: async () => undefined,
    findBucket: async () => undefined,
    ...given,
  };
}

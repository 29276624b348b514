import type { AwsView } from "@cloudwright/clouds";

/** A view of a region in which nothing is wrong, but for what a test says. */
export function createFakeView(given: Partial<AwsView> = {}): AwsView {
  const zones = ["eu-west-1a", "eu-west-1b", "eu-west-1c"];
  return {
    getIdentity: async () => ({ accountId: "123456789012", arn: "arn:aws:iam::123456789012:user/ada" }),
    listDenied: async () => [],
    listZones: async () => zones,
    getLimits: async () => ({ vpcs: 5, elasticIps: 5, natGatewaysPerZone: 5, vcpus: 32 }),
    listVpcs: async () => [],
    listElasticIps: async () => [],
    listNatGateways: async () => [],
    listMachines: async () => [],
    listOffered: async (types) => types.map((name) => ({ name, vcpus: 2, zones })),
    listVersions: async () => ["1.33", "1.34"],
    findCluster: async () => undefined,
    findBucket: async () => undefined,
    ...given,
  };
}

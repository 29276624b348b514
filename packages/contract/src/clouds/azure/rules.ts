import type { AzureAccount } from "../../../gen/cloudwright/v1/account_pb.ts";
import type { CloudRules } from "../cloud-rules.ts";

export const azureRules: CloudRules = {
  accountRules: {
    "azure.application": ({ clientCertificate, federatedToken, tenantId, clientId }: AzureAccount) =>
      (clientCertificate === undefined && !federatedToken) || (tenantId !== "" && clientId !== ""),
    // Earlier releases accepted a secret beside `agentCredentials`, which takes precedence.
    "azure.one_way": ({ clientSecret, clientCertificate, federatedToken, managedIdentity, agentCredentials }: AzureAccount) =>
      [clientSecret !== undefined || agentCredentials, clientCertificate !== undefined, federatedToken, managedIdentity].filter(
        Boolean,
      ).length <= 1,
  },
  listNetworkSettings: () => [],
  patternWords: {},
};

import type { GcpAccount } from "../../../gen/cloudwright/v1/account_pb.ts";
import type { CloudRules } from "../cloud-rules.ts";

const rangeWords =
  "be the name of a secondary range: up to 63 lower-case letters, digits and dashes, starting with a letter and not ending with a dash";

export const gcpRules: CloudRules = {
  accountRules: {
    "gcp.one_way": ({ serviceAccountKey, agentCredentials, workloadIdentityProvider }: GcpAccount) =>
      [serviceAccountKey !== undefined, agentCredentials, workloadIdentityProvider !== ""].filter(Boolean).length <= 1,
  },
  listNetworkSettings(cloud) {
    if (cloud.case !== "gcp") return [];
    const { routing, loadBalancerIps, natIps, flowLogs, podCidr, serviceCidr, withoutPrivateGoogleAccess, mtu } = cloud.value;
    const { natLogs, natPortsPerMachine, flowLogSamplingPercent } = cloud.value;
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
    ];
  },
  patternWords: {
    "^([a-z][a-z0-9-]{4,28}[a-z0-9])?$":
      "be the id of a Google Cloud project: 6 to 30 lower-case letters, digits and dashes, starting with a letter and not ending with a dash",
    "^([a-z]([a-z0-9-]{0,61}[a-z0-9])?)?$": rangeWords,
    "^([a-z][a-z0-9-]{4,28}[a-z0-9]@[a-z][a-z0-9-]{4,28}[a-z0-9][.]iam[.]gserviceaccount[.]com)?$":
      "be the email address of a service account such as cloudwright@my-project.iam.gserviceaccount.com",
    "^(projects/[0-9]{1,20}/locations/global/workloadIdentityPools/[a-z0-9-]{4,32}/providers/[a-z0-9-]{4,32})?$":
      "be the full name of a workload identity provider such as projects/123456789012/locations/global/workloadIdentityPools/agents/providers/cloudwright",
    "^[a-z0-9-]{1,63}([*]|@[a-z0-9.-]{1,100}[.]gserviceaccount[.]com)$":
      "be the email address of a service account, or the start of one followed by `*`, such as nodes@my-project.iam.gserviceaccount.com",
  },
};

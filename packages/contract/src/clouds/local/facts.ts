import type { CloudFacts } from "../cloud-facts.ts";

/** Facts about the user's own machines. They have no regions, zones or machine types. */
export const localFacts: CloudFacts = {
  title: "Self-managed machines",
  services: "Kubernetes on machines that you run",
  isSupported: false,
  kubernetesService: "",
  provisioners: [],
  hasInstances: true,
  hasSecurityGroups: true,
  hasVolumes: true,
  terms: { network: "network", publicIp: "address" },
  regions: { known: {}, default: "", isName: () => false, defaultZones: [], renderZone: (_region, zone) => zone },
  machines: { defaultType: "", suggestedTypes: [] },
  network: { reservedAddresses: 0, reservedRanges: [], rangeFields: [] },
  terraform: { providers: [], source: "", fileUploads: [], placeArguments: [] },
  agent: {
    endpointVariables: undefined,
    identityTokenVariable: undefined,
    // Only an agent that runs on the user's machines can reach them.
    findLabel: ({ agentLabel }) => (typeof agentLabel === "string" && agentLabel !== "" ? agentLabel : undefined),
    usesIdentity: () => false,
  },
  quotas: {},
  examples: {
    accountFlags: "--env-file .env",
    network: { type: "sim_network", id: "main" },
    subnet: { type: "sim_subnet", id: "main" },
    change: "name=other",
    exhausted: { type: "sim_network", message: "no more" },
  },
  firstClusterFields: [],
};

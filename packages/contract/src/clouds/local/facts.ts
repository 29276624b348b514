import type { CloudFacts } from "../cloud-facts.ts";
import type { SpecCheck } from "../spec-checks.ts";
import { checkLocalNetwork } from "./check-network.ts";
import { checkLocalVolume } from "./check-volume.ts";
import { localInstances } from "./instances.ts";
import { measureMachineType } from "./machine-types.ts";

/** The label of the agents of an account whose spec does not name one. */
const defaultLabel = "local";

const refuseCluster: SpecCheck = () => [
  {
    field: "spec.network",
    message:
      "is on your own machines, where this release cannot build clusters; use a network in an account of a public cloud, which may be simulated",
    isUnsupported: true,
  },
];

/** Facts about the user's own machines. They have no regions and no zones. */
export const localFacts: CloudFacts = {
  title: "Self-managed machines",
  services: "Networks and instances on Linux machines that you run",
  isSupported: true,
  isOwn: true,
  kubernetesService: "",
  provisioners: [],
  hasInstances: true,
  hasSecurityGroups: true,
  hasVolumes: true,
  hasInventories: true,
  hasVolumeSnapshots: true,
  hasMachineImages: true,
  instances: localInstances,
  checks: { Network: checkLocalNetwork, Volume: checkLocalVolume, Cluster: refuseCluster },
  terms: { network: "network", publicIp: "address" },
  regions: { known: {}, default: "", isName: () => false, defaultZones: [], renderZone: (_region, zone) => zone },
  machines: {
    defaultType: "1x1",
    suggestedTypes: ["1x1", "0.5x0.5", "2x2", "2x4", "4x8"],
    isKnown: (type) => measureMachineType(type) !== undefined,
    measure: measureMachineType,
  },
  network: {
    reservedAddresses: 0,
    reservedRanges: ["0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/3"],
    rangeFields: [],
  },
  terraform: { providers: [], source: "", fileUploads: [], placeArguments: [] },
  agent: {
    endpointVariables: undefined,
    identityTokenVariable: undefined,
    // Only an agent that runs on the user's machines can reach them.
    findLabel: ({ agentLabel }) => (typeof agentLabel === "string" && agentLabel !== "" ? agentLabel : defaultLabel),
    // The agent works as root on the machine, so an operator must grant its use to a project.
    usesIdentity: () => true,
  },
  quotas: {},
  examples: {
    accountFlags: "--local-agent-label rack-1",
    network: { type: "local_network", id: "0199a000-0000-7000-8000-000000000001-this" },
    subnet: { type: "local_network", id: "0199a000-0000-7000-8000-000000000001-this" },
    change: "name=other",
    exhausted: { type: "local_instance", message: "no more memory" },
  },
  firstClusterFields: [],
};

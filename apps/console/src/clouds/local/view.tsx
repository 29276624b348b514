import type { EntityByKind } from "@cloudwright/api-client";
import { parseRange } from "@cloudwright/contract/cidr";
import { mono, monoLines } from "../../kinds/mono.tsx";
import { parseWhole, placeRange, shareOfFree, type AddressPlan } from "../../kinds/network/address-plan.ts";
import type { AddressInput, CloudView } from "../cloud-view.ts";

/** The user's own machines. Their agent needs no credentials. */
export const localView: CloudView = {
  methods: [{ value: "agent", label: "Agent on the machine", fields: [] }],
  accountFields: [
    {
      name: "agentLabel",
      label: "Agent label",
      description:
        "CLOUDWRIGHT_AGENT_HOSTS of the agent that runs as root on the machine. Leave empty to use local. An operator must allow the project to use a shared agent",
      placeholder: "rack-1",
    },
  ],
  listAccountFacts(account) {
    const { agentLabel } = account as NonNullable<NonNullable<EntityByKind["Account"]["spec"]>["local"]>;
    return [["Agent label", mono(agentLabel || "local")]];
  },
  zones: [],
  zoneCount: 0,
  icon: "dot",
  words: { network: "network", cluster: "cluster", nodePool: "node pool", bucket: "bucket", volume: "volume" },
  settings: { newNetwork: [], existingNetwork: [], cluster: [], nodePool: [], bucket: [], volume: [] },
  egress: [
    ["", "Default: through the machine's address"],
    ["none", "None: nothing enters or leaves the network"],
  ],
  planAddresses,
  listNetworkFacts: ({ networkId, cidr }) => [
    ["Network", monoLines(networkId)],
    ["Range", monoLines(cidr)],
  ],
  sampleError: "no more memory",
  resourceIcons: [],
};

/** A network has a single range. The first usable address is the gateway's. */
function planAddresses({ cidr }: AddressInput): AddressPlan {
  const whole = parseWhole(cidr, 28);
  if ("problem" in whole) return whole;
  const range = parseRange(cidr);
  const ranges = range === undefined ? [] : [placeRange(whole, range, { role: "instances", zone: "" }, 3)];
  return { uses: [{ role: "instances", text: "instances", tone: "good" }], ranges, free: shareOfFree(ranges) };
}

import { defaultNetworkCidr, findParent } from "@cloudwright/contract";
import { networkInterfaces } from "node:os";
import { textOf } from "../read-spec.ts";
import { overlaps } from "./network-checks.ts";
import type { Check, Question } from "./question.ts";

/**
 * Creates a check that warns if the endpoint is private and the agent has no address in the cluster's network. The agent may still reach the
 * cluster through a connected network, so this is not an error. `isReachable` returns whether the cluster can also be reached in another way.
 */
export function createAgentCheck(
  isReachable: (question: Question<"Cluster">) => boolean = () => false,
  listAddresses: () => readonly string[] = listOwnAddresses,
): Check<"Cluster"> {
  return async (question) => {
    const { entity, around } = question;
    const network = findParent(around, "Network");
    const isPublic = entity.spec.endpoint?.public ?? true;
    if (isPublic || network === undefined || isReachable(question)) return [];
    // The range of an existing network is in its outputs, not in its spec.
    const range = textOf(network.outputs["cidr"]) || network.spec.cidr || defaultNetworkCidr;
    if (listAddresses().some((address) => overlaps(`${address}/32`, range))) return [];
    const message = `the endpoint is private, and the agent that checked it has no address in ${range} of the network "${network.name}"`;
    const help =
      "Create an agent with `cloud agent create` and run it in this network or in one that is connected to it. Without such an agent, the platform cannot install add-ons in the cluster.";
    return [{ severity: "should", field: "spec.endpoint.public", message, help }];
  };
}

function listOwnAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.flatMap(({ address, family, internal }) => (family === "IPv4" && !internal ? [address] : [])),
  );
}

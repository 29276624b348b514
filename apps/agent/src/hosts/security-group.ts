import type { Group, Host, Rule } from "@cloudwright/hosts";
import { listOf, numberOf, objectOf, textOf, type JsonObject, type ReadonlyJsonObject } from "@cloudwright/platform";
import type { HostResources } from "./create-part.ts";

/** Security groups of a host's firewall. A change takes effect before the call returns, and does not touch any instance. */
export function createSecurityGroups({ host: { firewall } }: { readonly host: Pick<Host, "firewall"> }): HostResources {
  const set = (id: string, { rules }: JsonObject, signal: AbortSignal): Promise<void> =>
    firewall.setGroup({ uid: id, rules: listOf(rules).map(objectOf).map(parseRule) }, signal);
  return {
    name: "local_security_group",
    immutable: [],
    listIds: async () => (await firewall.listGroups()).map(({ uid }) => uid),
    create: set,
    update: set,
    async read(id) {
      const group = (await firewall.listGroups()).find(({ uid }) => uid === id);
      return group === undefined ? undefined : renderGroup(group);
    },
    remove: (id, signal) => firewall.removeGroup(id, signal),
  };
}

function parseRule(rule: ReadonlyJsonObject): Rule {
  const [fromPort, toPort, group] = [numberOf(rule["from_port"]), numberOf(rule["to_port"]), textOf(rule["group"])];
  return {
    direction: textOf(rule["direction"]) === "egress" ? "egress" : "ingress",
    // The firewall rejects unknown protocols.
    protocol: textOf(rule["protocol"]) as Rule["protocol"],
    ...(fromPort === 0 ? {} : { fromPort, toPort }),
    source: group === "" ? { cidr: textOf(rule["cidr"]) } : { group },
  };
}

function renderGroup({ rules }: Group): JsonObject {
  return { rules: rules.map(renderRule), ready: true, failed: false };
}

function renderRule({ direction = "ingress", protocol, fromPort = 0, toPort = fromPort, source }: Rule): JsonObject {
  const [cidr, group] = "cidr" in source ? [source.cidr, ""] : ["", source.group];
  return { direction, protocol, from_port: fromPort, to_port: toPort, cidr, group };
}

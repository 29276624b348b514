import { textOf, type JsonObject } from "@cloudwright/platform";
import type { HostResources } from "./create-part.ts";
import type { OpenedHost } from "./open-host.ts";

/** Networks of a host: a bridge or a switch with name resolution, and address translation towards the outside. */
export function createNetworks({ host: { networks } }: OpenedHost): HostResources {
  const ensure = (id: string, attributes: JsonObject, signal: AbortSignal): Promise<void> => {
    const [cidr, domain] = [textOf(attributes["cidr"]), textOf(attributes["domain"])];
    const kind = attributes["switch"] === "ovs" ? { switch: "ovs" as const } : {};
    return networks.ensure({ uid: id, cidr, domain, nat: attributes["nat"] === true, ...kind }, signal);
  };
  return {
    name: "local_network",
    immutable: ["cidr", "switch"],
    listIds: async () => (await networks.list()).map(({ uid }) => uid),
    create: ensure,
    update: ensure,
    async read(id, signal) {
      const network = (await networks.list()).find(({ uid }) => uid === id);
      if (network === undefined) return undefined;
      const { cidr, domain = "", nat, switch: kind } = network;
      return {
        cidr,
        domain,
        nat,
        ...(kind === undefined ? {} : { switch: kind }),
        ready: await networks.isUp(id, signal),
        failed: false,
      };
    },
    remove: (id, signal) => networks.remove(id, signal),
  };
}

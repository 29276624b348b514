import {
  createEmptyAccount,
  notImplemented,
  type AccountRequest,
  type Capability,
  type CloudAccount,
  type CloudProvider,
} from "@cloudwright/clouds";
import { getCloud, type CloudName } from "@cloudwright/contract/clouds";
import { hostsFaults } from "@cloudwright/hosts";
import { Fault, objectOf } from "@cloudwright/platform";
import { checkMachines } from "./check-machines.ts";
import { createHostImages } from "./host-images.ts";
import { createHostView } from "./host-view.ts";
import type { HostService, OpenedHost } from "./open-host.ts";
import { openParts } from "./open-parts.ts";

const cloud: CloudName = "local";
const capabilities: ReadonlySet<Capability> = new Set(["identity", "view", "owned-resources", "direct"]);

/** Creates the provider of local accounts on an agent. `service` is undefined if the agent does not act as a host. */
export function createHostProvider(service: HostService | undefined): CloudProvider {
  return {
    name: cloud,
    facts: getCloud(cloud),
    capabilities,
    getPolicy: () => {
      throw notImplemented(cloud, "policy");
    },
    openAccount: (request) => openAccount(service, request),
    createOwnToken: async () => Promise.reject(notImplemented(cloud, "own-token")),
  };
}

function openAccount(service: HostService | undefined, request: AccountRequest): CloudAccount {
  let opening: Promise<OpenedHost> | undefined;
  const open = (): Promise<OpenedHost> => (opening ??= openFor(service, request));
  return {
    ...createEmptyAccount(cloud),
    async verify() {
      const { identity } = await open();
      return { accountId: identity.id, identity: identity.hostname };
    },
    view: createHostView(open),
    images: createHostImages(open),
    async listOwned(entityUid) {
      const parts = [...openParts(await open(), entityUid).values()];
      const { signal } = new AbortController();
      const found = parts.map(async (part) =>
        (await part.listOwned(entityUid, signal)).map(({ id, name }) => ({ type: part.name, id, part: name, names: [id] })),
      );
      return (await Promise.all(found)).flat();
    },
    async openDirect({ entityUid, ...run }) {
      return { parts: openParts(await open(), entityUid, run), close: async () => undefined };
    },
    async checkMachines(machines, signal) {
      await open();
      return checkMachines(machines, signal);
    },
  };
}

/** Opens the host for an account. Throws if the account may not use this machine. */
async function openFor(
  service: HostService | undefined,
  { account, spec, accountId = "", openCredentials }: AccountRequest,
): Promise<OpenedHost> {
  // The control plane refuses this unless an operator has granted the agent to the account. All work on a host runs as root.
  await openCredentials();
  if (service === undefined) {
    const message = "this agent does not act as a host; set CLOUDWRIGHT_AGENT_HOSTS to the account's agent label";
    throw new Fault(hostsFaults.not_a_host, message);
  }
  const label = getCloud(cloud).agent.findLabel(objectOf(spec[cloud]));
  if (label !== service.label) {
    const message = `the account "${account}" is for the agent label ${label ?? ""}, but this agent has CLOUDWRIGHT_AGENT_HOSTS=${service.label}`;
    throw new Fault(hostsFaults.other_machine, message);
  }
  const opened = await service.get();
  const { id, hostname } = opened.identity;
  if (accountId !== "" && accountId !== id) {
    const message = `the account "${account}" is bound to ${accountId}, but this agent runs on ${id} (${hostname})`;
    throw new Fault(hostsFaults.other_machine, message);
  }
  return opened;
}

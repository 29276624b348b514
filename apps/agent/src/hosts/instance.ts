import { cloudsFaults } from "@cloudwright/clouds";
import { getCloud } from "@cloudwright/contract/clouds";
import type { InstanceSpec } from "@cloudwright/hosts";
import { Fault, numberOf, textOf, textsOf, type JsonObject } from "@cloudwright/platform";
import { generateKeyPair } from "@cloudwright/platform/openssh-key";
import type { HostResources } from "./create-part.ts";
import type { OpenedHost } from "./open-host.ts";
import { waitForSsh } from "./wait-for-ssh.ts";

const consoleBytes = 64 * 1024;

type Size = Pick<InstanceSpec, "cpus" | "memoryMib">;

/** Instances of a host. `log` receives lines about work that takes long. */
export function createInstances({ host, images }: OpenedHost, log: (line: string) => void): HostResources {
  const { instances, networks, firewall } = host;
  const findSpec = async (id: string): Promise<InstanceSpec | undefined> =>
    (await instances.list()).find(({ uid }) => uid === id);
  const findPort = async (id: string) => (await networks.listPorts()).find(({ uid }) => uid === id);
  const findGroups = async (id: string): Promise<string[]> =>
    [...((await firewall.listPorts()).find(({ uid }) => uid === id)?.groups ?? [])].toSorted();

  async function getSpec(id: string): Promise<InstanceSpec> {
    const spec = await findSpec(id);
    if (spec !== undefined) return spec;
    throw new Fault(cloudsFaults.not_found, `the host has no instance ${id}`);
  }

  /** Starts or stops an instance, and waits until it can be reached. */
  async function setPower(id: string, state: string, signal: AbortSignal): Promise<void> {
    if (state === "stopped") return instances.stop(id, signal);
    await host.startInstance(id, signal);
    const { port } = await getSpec(id);
    if (!(await waitForSsh(port.address, signal)))
      log(`the instance runs, but nothing answers on port 22 of ${port.address} yet; its log tells more`);
  }

  return {
    name: "local_instance",
    // Everything that the instance reads only when it starts for the first time.
    immutable: ["name", "project", "network_id", "image", "disk_gib", "user", "user_data", "failed"],
    // Keys can be replaced on the instance itself.
    onlyForCreation: ["ssh_keys"],
    sensitive: ["user_data"],
    // A port without an instance is left over from an interrupted creation or deletion.
    listIds: async () => [...new Set([...(await instances.list()), ...(await networks.listPorts())].map(({ uid }) => uid))],
    async create(id, attributes, signal) {
      const existing = await findSpec(id);
      await images.ensure(existing?.image ?? textOf(attributes["image"]), log, signal);
      const network = textOf(attributes["network_id"]);
      const groups = textsOf(attributes["groups"]);
      // An existing instance keeps what it has read already. An interrupted creation continues with the same host key.
      const spec: Omit<InstanceSpec, "port"> = existing ?? renderSpec(id, attributes);
      await host.createInstance({ ...spec, network: (await findPort(id))?.network ?? network, groups }, signal);
      await setPower(id, textOf(attributes["power_state"]), signal);
    },
    async read(id) {
      const [spec, port] = [await findSpec(id), await findPort(id)];
      if (spec === undefined && port === undefined) return undefined;
      if (spec === undefined || port === undefined) return { name: spec?.name ?? "", ready: false, failed: true };
      const { state } = await instances.find(id);
      return {
        name: spec.name,
        project: spec.project,
        network_id: port.network,
        image: spec.image,
        machine_type: renderType(spec),
        disk_gib: spec.diskGib,
        user: spec.access.user,
        ssh_keys: [...spec.access.authorizedKeys],
        user_data: spec.userData ?? "",
        groups: await findGroups(id),
        power_state: state === "running" ? "running" : "stopped",
        private_address: port.address,
        host_key: spec.access.hostKey.publicKey,
        ready: state !== "absent",
        failed: false,
      };
    },
    async update(id, attributes, signal) {
      const [spec, size] = [await getSpec(id), parseType(attributes["machine_type"])];
      if (renderType(spec) !== renderType(size)) await instances.resize(id, size, signal);
      const groups = textsOf(attributes["groups"]).toSorted();
      if (groups.join() !== (await findGroups(id)).join()) await host.setGroups(id, groups, signal);
      await setPower(id, textOf(attributes["power_state"]), signal);
    },
    remove: (id, signal) => host.removeInstance(id, signal),
    readConsole: async (id) => instances.readConsole(id, consoleBytes),
    readHostKeys: async (id) => [(await getSpec(id)).access.hostKey.publicKey],
  };
}

function renderSpec(id: string, attributes: JsonObject): Omit<InstanceSpec, "port"> {
  const userData = textOf(attributes["user_data"]);
  return {
    uid: id,
    name: textOf(attributes["name"]),
    project: textOf(attributes["project"]),
    image: textOf(attributes["image"]),
    ...parseType(attributes["machine_type"]),
    diskGib: numberOf(attributes["disk_gib"]),
    access: {
      user: textOf(attributes["user"]),
      authorizedKeys: textsOf(attributes["ssh_keys"]),
      hostKey: generateKeyPair(),
    },
    ...(userData === "" ? {} : { userData }),
  };
}

/** Returns the name of a machine type. It is the inverse of `parseType`. */
function renderType({ cpus, memoryMib }: Size): string {
  return `${cpus}x${memoryMib / 1024}`;
}

function parseType(type: unknown): Size {
  const size = getCloud("local").machines.measure?.(textOf(type));
  if (size !== undefined) return size;
  throw new Fault(cloudsFaults.invalid, `"${textOf(type)}" is not a machine type; use processors and memory in GiB, such as 2x4`);
}

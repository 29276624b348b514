import {
  createEmptyAccount,
  createLibrary,
  createParts,
  hasParts,
  isOwnSession,
  notImplemented,
  ownerTag,
  partTag,
  type AccountView,
  type Capability,
  type CloudAccount,
  type CloudProvider,
  type OwnedResource,
} from "@cloudwright/clouds";
import { findCloudAccount, getCloud, type CloudName } from "@cloudwright/contract/clouds";
import { Fault, Secret } from "@cloudwright/platform";
import {
  createMemoryInventory,
  findSimulatedCloud,
  listSimulatedApis,
  listTagged,
  simProvider,
  simulatorFaults,
  startApiHost,
  startResidentProvider,
  tagsOf,
  type CloudRecord,
  type ResidentOptions,
  type ResidentProvider,
  type SimulatedAccount,
  type SimulatedCloud,
} from "@cloudwright/simulator";
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SimulatedStore } from "./simulated-store.ts";

/** Identifies a simulated account and the location of its data. */
export interface SimulatedPlace {
  readonly cloud: CloudName;
  /** The account's uid, which is also its tenant id in the simulator. */
  readonly tenant: string;
  /** Opens the records of simulated accounts. Called on first use. */
  openStore(): Promise<SimulatedStore>;
  /** Folder for the sockets of the simulated Terraform providers. */
  readonly folder: string;
  /** Whether the simulated cloud keeps an audit trail. Simulated clouds that are stored in files do not. */
  readonly hasTrail?: boolean;
}

const always: readonly Capability[] = ["identity", "owned-resources", "cluster-access", "terraform"];
const withAccount: readonly Capability[] = [...always, "view", "objects", "leftovers", "clusters"];

/** Creates the provider of one simulated account. It implements the same port as the providers of real accounts. */
export function createSimulatedProvider(place: SimulatedPlace): CloudProvider {
  const simulation = findSimulatedCloud(place.cloud);
  return {
    name: place.cloud,
    facts: getCloud(place.cloud),
    capabilities: new Set<Capability>([
      ...(simulation?.openAccount === undefined ? always : withAccount),
      ...(simulation?.openAccount !== undefined && hasParts(place.cloud) ? (["direct"] as const) : []),
      ...(hasApi(place.cloud) ? (["library"] as const) : []),
      ...(place.hasTrail === true ? (["audit-trail"] as const) : []),
    ]),
    getPolicy: () => {
      throw notImplemented(place.cloud, "policy");
    },
    openAccount: ({ region, spec }) => openAccount(place, simulation, { region, cloudAccount: findCloudAccount(spec) }),
    createOwnToken: async () => Promise.reject(notImplemented(place.cloud, "own-token")),
  };
}

function openAccount(
  place: SimulatedPlace,
  simulation: SimulatedCloud | undefined,
  { region, cloudAccount }: { readonly region: string; readonly cloudAccount: string | undefined },
): CloudAccount {
  const { cloud, tenant, folder } = place;
  let opening: Promise<SimulatedStore> | undefined;
  const openStore = (): Promise<SimulatedStore> => (opening ??= place.openStore());
  const empty = createEmptyAccount(cloud);
  const open = simulation?.openAccount;
  const getAccount = async (): Promise<SimulatedAccount | undefined> =>
    open?.({ inventory: (await openStore()).inventory, tenant, region });
  const startApi = async () => {
    const { inventory, faults, clusters } = await openStore();
    // Only this process knows the secret, so the keys are useless elsewhere and stop working when the run ends.
    const secret = new Secret(randomBytes(32).toString("base64url"));
    const host = await startApiHost({
      listen: { host: "127.0.0.1", port: 0 },
      inventory,
      faults,
      secret,
      // The account's inventory has the keys of users, which this host could not read.
      keys: createMemoryInventory(),
      isTenant: (name) => name === tenant,
      ...(clusters === undefined ? {} : { clusters }),
    });
    const { options } = await host.issue(tenant, cloud, { cloudAccount, ...(region === "" ? {} : { region }) });
    return { host, options };
  };
  const verify = async () => ({ accountId: `simulated-${tenant.slice(-12)}`, identity: "simulated" });
  return {
    ...empty,
    verify,
    ...(open === undefined ? {} : adaptAccount(getAccount as () => Promise<SimulatedAccount>, verify)),
    async listOwned(value) {
      const own = await (await getAccount())?.listOwned?.(value);
      return own ?? (await listTagged((await openStore()).inventory, tenant, { key: ownerTag, value })).map(describeResource);
    },
    async findAuthors(resources) {
      const { trail } = await openStore();
      if (trail === undefined) throw notImplemented(cloud, "audit-trail");
      const found = await Promise.all(
        resources.map(async ({ type, id }) => {
          const [last] = await trail.list(tenant, { type, id });
          return last === undefined || isOwnSession(last.actor)
            ? []
            : [{ type, id, author: last.actor, action: last.action, at: new Date(last.at) }];
        }),
      );
      return found.flat();
    },
    async openCluster({ name, region: home, endpoint, caPem }) {
      const { clusters } = await openStore();
      if (clusters === undefined) {
        const message = `the simulated cloud of ${name} is stored in files, so its Kubernetes API is not available`;
        throw new Fault(simulatorFaults.clusters_unserved, message);
      }
      return { server: endpoint, caPem, token: () => clusters.getToken({ tenant, region: home, name }) };
    },
    async openTerraform() {
      const { inventory, faults, clusters } = await openStore();
      const source = getCloud(cloud).terraform.source;
      const own = simulation === undefined ? {} : { [source]: simulation.createTerraformProvider(clusters) };
      // The `sim` provider makes it possible to test plug-ins without a cloud.
      const providers = { ...own, "registry.terraform.io/cloudwright/sim": simProvider };
      const resident = await startNear(folder, { providers, tenant, inventory, faults });
      return { environment: {}, secretEnvironment: {}, reattach: resident.reattach, close: () => resident.close() };
    },
    async openDirect(run) {
      if (!hasParts(cloud)) throw notImplemented(cloud, "direct");
      const { options, host } = await startApi();
      const direct = createParts(cloud, { ...options, ...run });
      return {
        parts: direct.parts,
        async close() {
          await direct.close();
          await host.close();
        },
      };
    },
    async openLibrary(run) {
      if (!hasApi(cloud)) throw notImplemented(cloud, "library");
      const { options, host } = await startApi();
      const library = createLibrary(cloud, { ...options, ...run });
      return {
        ...library,
        async close() {
          await library.close();
          await host.close();
        },
      };
    },
    // A store that could not be opened has nothing to close, and its fault was already reported.
    close: async () => (await opening?.catch(() => undefined))?.close(),
  };
}

/** Returns whether the cloud's own API is simulated, so that the cloud's client library can be used. */
function hasApi(cloud: CloudName): boolean {
  return listSimulatedApis().some((api) => api.cloud === cloud);
}

function adaptAccount(
  get: () => Promise<SimulatedAccount>,
  getIdentity: AccountView["getIdentity"],
): Pick<CloudAccount, "view" | "countObjects" | "snapshotVolume" | "leftovers" | "clusters"> {
  return {
    view: {
      getIdentity,
      // Simulated accounts never deny a permission.
      listDenied: async () => [],
      listZones: async () => (await get()).listZones(),
      getLimits: async () => (await get()).getLimits(),
      listNetworks: async () => (await get()).listNetworks(),
      findUsage: async (quota) => (await get()).findUsage?.(quota),
      hasDefaultRoute: async (subnetId) => (await get()).hasDefaultRoute?.(subnetId),
      listPublicIps: async () => (await get()).listPublicIps(),
      listNatGateways: async () => (await get()).listNatGateways(),
      listInternetGateways: async () => (await get()).listInternetGateways(),
      listMachines: async () => (await get()).listMachines(),
      listOffered: async (types) => (await get()).listOffered(types),
      hasImage: async (image) => (await get()).hasImage?.(image),
      listVersions: async () => (await get()).listVersions(),
      findCluster: async (name) => (await get()).findCluster(name),
      findBucket: async (name) => (await get()).findBucket(name),
    },
    countObjects: async (bucket) => (await get()).countObjects(bucket),
    snapshotVolume: async (volumeId, snapshot) => (await (await get()).snapshotVolume?.(volumeId, snapshot)) ?? true,
    leftovers: {
      list: async (cluster) => (await get()).listLeftovers(cluster),
      remove: async (leftover) => (await get()).removeLeftover(leftover),
      retain: async (volumeId) => (await get()).retainVolume(volumeId),
    },
    clusters: {
      findAddress: async () => (await get()).clusters.findAddress(),
      findPrincipal: async (cluster) => (await get()).clusters.findPrincipal(cluster),
      findBuiltInAccess: async (cluster) => (await get()).clusters.findBuiltInAccess?.(cluster),
      listRefusedSubnets: async (subnetIds) => (await (await get()).clusters.listRefusedSubnets?.(subnetIds)) ?? [],
      countNodes: async (cluster) => (await get()).clusters.countNodes(cluster),
      unprotect: async (cluster) => (await get()).clusters.unprotect(cluster),
    },
  };
}

// Starts the provider with its socket in the agent's directory, or in the temporary directory if that path is too long for a socket.
async function startNear(folder: string, options: Omit<ResidentOptions, "directory">): Promise<ResidentProvider> {
  try {
    return await startResidentProvider({ ...options, directory: join(folder, "sockets") });
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== simulatorFaults.path_too_long.code) throw error;
    return startResidentProvider({ ...options, directory: tmpdir() });
  }
}

function describeResource(record: CloudRecord): OwnedResource {
  const { type, id, attributes } = record;
  const part = tagsOf(record)[partTag];
  const names = Object.values(attributes).filter((value) => typeof value === "string");
  return { type, id, names, ...(typeof part === "string" ? { part } : {}) };
}

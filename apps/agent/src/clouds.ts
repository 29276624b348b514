import { createProvider, type CloudAccount, type CloudProvider } from "@cloudwright/clouds";
import { findCloud, isCloudName, type CloudName } from "@cloudwright/contract/clouds";
import { deployerFaults, type CloudRun, type DeployedAccount, type DeployerDeps, type StateAccess } from "@cloudwright/deployer";
import { Fault, type AgentConfig } from "@cloudwright/platform";
import type { ProviderSources } from "@cloudwright/terraform";
import { join } from "node:path";
import { createSimulatedProvider } from "./simulated-provider.ts";
import { createSimulatedStores } from "./simulated-store.ts";

type Config = Pick<AgentConfig, "directory" | "simulator" | "clouds" | "cacheDirectory">;
type OpenState = () => Promise<StateAccess>;

/** Providers that work on the agent's own machine, which replace those of `clouds`. */
type OwnProviders = Readonly<Partial<Record<CloudName, CloudProvider>>>;

/**
 * Gives the deployer access to clouds. Simulated accounts use the simulator, and real accounts use the cloud itself, or the agent's own
 * machine. All of them implement the same port.
 */
export function createClouds(
  config: Config,
  ownProviders: OwnProviders = {},
): Required<Pick<DeployerDeps, "openCloud" | "openView" | "verifyAccount">> {
  const openStore = createSimulatedStores(config);
  const findProvider = (account: DeployedAccount, openState: OpenState): CloudProvider => {
    const cloud = requireCloud(account);
    if (!account.simulated) return ownProviders[cloud] ?? createProvider(cloud, pickOptions(cloud, config.clouds));
    const folder = join(config.directory, "simulated");
    return createSimulatedProvider({
      cloud,
      tenant: account.uid,
      openStore: async () => openStore(await openState()),
      folder,
      hasTrail: config.simulator !== "files",
    });
  };
  const openAccount = (account: DeployedAccount, openState: OpenState, run: CloudRun) => {
    const provider = findProvider(account, openState);
    const opened = provider.openAccount({
      account: account.name,
      spec: account.spec,
      region: run.region,
      session: `cloudwright-${run.taskUid}`,
      accountId: run.accountId ?? "",
      openCredentials: () => run.openCredentials(),
    });
    return { opened, can: provider.capabilities };
  };
  return {
    async openCloud(account, access, run) {
      const { opened, can } = openAccount(account, async () => access, run);
      const closing: (() => Promise<void>)[] = [];
      return {
        async openTerraform() {
          const { reattach, environment, secretEnvironment, close } = await opened.openTerraform();
          closing.push(close);
          return {
            providers: reattach === undefined ? findProviderSources(config) : { reattach },
            environment,
            secretEnvironment,
          };
        },
        ...(can.has("direct")
          ? {
              async openDirect(direct) {
                const { parts, close } = await opened.openDirect(direct);
                closing.push(close);
                return parts;
              },
            }
          : {}),
        ...(can.has("library")
          ? {
              async openLibrary(library) {
                const client = await opened.openLibrary(library);
                closing.push(() => client.close());
                return client;
              },
            }
          : {}),
        ...(can.has("view") ? { listDenied: (feature: string) => opened.view.listDenied(feature) } : {}),
        ...(opened.checkMachines === undefined
          ? {}
          : { checkMachines: (machines, signal) => opened.checkMachines?.(machines, signal) ?? Promise.resolve([]) }),
        listOwned: (uid) => opened.listOwned(uid),
        ...(can.has("objects") ? { countObjects: (bucket: string) => opened.countObjects(bucket) } : {}),
        ...(opened.snapshotVolume === undefined
          ? {}
          : { snapshotVolume: (id, snapshot) => opened.snapshotVolume?.(id, snapshot) ?? Promise.resolve(true) }),
        ...(can.has("audit-trail") ? { findAuthors: (resources) => opened.findAuthors(resources) } : {}),
        ...(can.has("leftovers") ? { leftovers: opened.leftovers } : {}),
        ...(can.has("clusters") ? { clusters: opened.clusters } : {}),
        ...(opened.images === undefined ? {} : { images: opened.images }),
        openCluster: (cluster) => opened.openCluster(cluster),
        explain: (fault) => explain(account, opened, fault),
        async close() {
          await opened.close();
          for (const close of closing.splice(0)) await close();
        },
      };
    },
    async openView(account, openState, run) {
      const { opened, can } = openAccount(account, openState, run);
      if (can.has("view")) return { view: opened.view, close: () => void opened.close().catch(() => undefined) };
      await opened.close();
      return undefined;
    },
    async verifyAccount(account, run) {
      const { opened } = openAccount(account, refuseState, run);
      try {
        return await opened.verify();
      } finally {
        await opened.close();
      }
    },
  };
}

const refuseState: OpenState = async () => Promise.reject(new Error("account verification does not use a Terraform state"));

function requireCloud({ name, cloud }: DeployedAccount): CloudName {
  if (isCloudName(cloud)) return cloud;
  throw new Fault(deployerFaults.bad_spec, `the account "${name}" belongs to an unknown cloud, "${cloud}"`);
}

/** Returns the agent settings that apply to one cloud. */
function pickOptions(cloud: CloudName, { endpoints, identityTokenFiles }: Config["clouds"]) {
  const { endpointVariables, identityTokenVariable = "" } = findCloud(cloud)?.agent ?? {};
  const own = Object.entries(endpoints).filter(([variable]) => endpointVariables?.test(variable) === true);
  const identityTokenFile = identityTokenFiles[identityTokenVariable];
  return { endpoints: Object.fromEntries(own), ...(identityTokenFile === undefined ? {} : { identityTokenFile }) };
}

function findProviderSources({ clouds: { providerMirror }, cacheDirectory }: Config): ProviderSources {
  const pluginCache = join(cacheDirectory, "providers");
  if (providerMirror === undefined) return { pluginCache };
  if (/^https?:/.test(providerMirror)) return { pluginCache, networkMirror: providerMirror };
  return { filesystemMirror: providerMirror };
}

/**
 * Returns a fault that names the actual cause if the account's credentials stopped working during a run. Otherwise returns the given fault.
 */
function explain({ name, cloud }: DeployedAccount, opened: CloudAccount, fault: Fault): Fault {
  const trouble = opened.findTrouble();
  if (trouble !== undefined) {
    const { code, kind, retry, help } = trouble;
    return new Fault({ code, kind, retry, help, when: "" }, `the account "${name}": ${trouble.message}`, { cause: fault });
  }
  if (!opened.isCredentialRefusal(fault.message)) return fault;
  const title = findCloud(cloud)?.title ?? cloud;
  const message = `${title} no longer accepts the credentials of the account "${name}": ${fault.message}`;
  return new Fault(deployerFaults.credentials_refused, message, { cause: fault });
}

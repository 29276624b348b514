import {
  cloudsFaults,
  countObjects,
  createAwsApi,
  createAwsLeftovers,
  createAwsView,
  createClusterToken,
  createCredentialSource,
  isCredentialRefusal,
  listOwnedThings,
  ownerTag,
  readAwsAccess,
  startCredentialEndpoint,
  verifyAwsAccount,
  type AwsApi,
  type CredentialSource,
} from "@cloudwright/clouds";
import { deployerFaults, type Cloud, type CloudRun, type DeployedAccount, type DeployerDeps } from "@cloudwright/deployer";
import { Fault, systemClock, type AgentConfig } from "@cloudwright/platform";
import type { ProviderSources } from "@cloudwright/terraform";
import { join } from "node:path";

type Config = Pick<AgentConfig, "clouds" | "cacheDirectory">;

/** Opens the clouds of real accounts: of AWS, for now. Credentials are asked for with the lease in hand, and stay in this process. */
export function createRealClouds(config: Config): Required<Pick<DeployerDeps, "openCloud" | "openView" | "verifyAccount">> {
  const { awsEndpoints: endpoints } = config.clouds;
  return {
    async openCloud(account, _access, run) {
      const { source, api } = openAccount(config, account, run);
      const endpoint = await startCredentialEndpoint(source);
      return {
        providers: findProviders(config),
        environment: { ...endpoints, ...endpoint.environment },
        secretEnvironment: endpoint.secretEnvironment,
        listOwned: async (value) => (await listOwnedThings(api, { key: ownerTag, value })).map(describeThing),
        countObjects: (bucket) => countObjects(api, bucket),
        openCluster: async ({ name: cluster, region, endpoint: server, caPem }) => ({
          server,
          caPem,
          token: () => createClusterToken(source, { cluster, region, endpoints }),
        }),
        leftovers: createAwsLeftovers(api),
        explain: (fault) => explain(account, source, fault),
        async close() {
          api.close();
          await endpoint.close();
        },
      } satisfies Cloud;
    },
    async openView(account, _openAccess, run) {
      const { api } = openAccount(config, account, run);
      const view = createAwsView(api, { name: account.name, id: await expectedId(account, run) });
      return { view, close: () => api.close() };
    },
    async verifyAccount(account, run) {
      const { api } = openAccount(config, account, run);
      try {
        const { accountId, arn } = await verifyAwsAccount(api, account.name, await expectedId(account, run));
        return { accountId, identity: arn };
      } finally {
        api.close();
      }
    },
  };
}

function openAccount({ clouds }: Config, account: DeployedAccount, run: CloudRun): { source: CredentialSource; api: AwsApi } {
  const { awsEndpoints: endpoints, webIdentityTokenFile } = clouds;
  const openAccess = async () => readAwsAccess(account.name, await run.openCredentials());
  const region = run.region || homeRegion(account);
  const sessionName = `cloudwright-${run.taskUid}`.slice(0, 64);
  const file = webIdentityTokenFile === undefined ? {} : { webIdentityTokenFile };
  const source = createCredentialSource({ clock: systemClock, openAccess }, { endpoints, region, sessionName, ...file });
  return { source, api: createAwsApi(source, { region, endpoints }) };
}

async function expectedId(account: DeployedAccount, run: CloudRun): Promise<string | undefined> {
  return readAwsAccess(account.name, await run.openCredentials()).accountId;
}

/** Where an account is asked that names no region: each of AWS's worlds has one of its own. */
function homeRegion({ spec }: DeployedAccount): string {
  const { roleArn } = (spec["aws"] ?? {}) as { readonly roleArn?: unknown };
  const world = typeof roleArn === "string" ? roleArn.split(":")[1] : "";
  return world === "aws-cn" ? "cn-north-1" : world === "aws-us-gov" ? "us-gov-west-1" : "us-east-1";
}

function findProviders({ clouds: { providerMirror }, cacheDirectory }: Config): ProviderSources {
  const pluginCache = join(cacheDirectory, "providers");
  if (providerMirror === undefined) return { pluginCache };
  if (/^https?:/.test(providerMirror)) return { pluginCache, networkMirror: providerMirror };
  return { filesystemMirror: providerMirror };
}

/** A run whose credentials are not taken any more fails by what they say, not by what Terraform was doing just then. */
function explain(account: DeployedAccount, source: CredentialSource, fault: Fault): Fault {
  const trouble = source.trouble();
  if (trouble !== undefined) {
    const definition = Object.values(cloudsFaults).find(({ code }) => code === trouble.code) ?? cloudsFaults.failed;
    return new Fault(definition, `the account "${account.name}": ${trouble.message}`, { cause: fault });
  }
  if (!isCredentialRefusal(fault.message)) return fault;
  const message = `AWS does not take the credentials of the account "${account.name}" any more: ${fault.message}`;
  return new Fault(deployerFaults.credentials_refused, message, { cause: fault });
}

function describeThing({ tags, ...thing }: Awaited<ReturnType<typeof listOwnedThings>>[number]) {
  const part = tags["cloudwright:part"];
  return { ...thing, ...(part === undefined ? {} : { part }) };
}

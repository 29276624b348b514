import { listClusterTypes } from "@cloudwright/contract/clouds";
import { describeError, Fault, isUid, type Clock, type Logger } from "@cloudwright/platform";
import { createClusterCredentials, simulatorFaults, startApiHost, type ApiHost, type Inventory } from "@cloudwright/simulator";
import {
  expectSimulatedCluster,
  findAccountPlace,
  updateSimulatedCloudsAddress,
  type KeyRing,
  type Pool,
} from "@cloudwright/store";
import { parseAddress, renderAddress, type Listen } from "./addresses.ts";
import { readInstallation } from "./installation.ts";
import { createAccountSourceCheck } from "./source-check.ts";
import { createStoredFaults } from "./stored-faults.ts";

const usual: Listen = { host: "127.0.0.1", port: 8483 };

/** Placeholder for the version until the cluster exists in its cloud. Nothing reads the version before the cluster exists. */
const firstVersion = "v1.34.2";

/**
 * Serves the simulated cloud APIs at their previous address, so that existing credentials stay valid. Returns `refused` with the
 * error if that address is in use, most likely by another replica. The first start falls back to any free port unless an address is
 * configured.
 */
export async function openApiHost(
  deps: { readonly pool: Pool; readonly keyRing: KeyRing; readonly clock: Clock; readonly log: Logger },
  given: { readonly listen: Listen | undefined; readonly inventory: Inventory; readonly onChange: () => void },
): Promise<ApiHost | { readonly refused: string }> {
  const { pool, clock, log } = deps;
  const { listen, inventory, onChange } = given;
  const { secret, cloudsAddress } = await readInstallation(deps);
  const remembered = parseAddress(cloudsAddress);
  const wanted = listen === undefined ? (remembered ?? usual) : { ...listen, port: listen.port || (remembered?.port ?? 0) };
  const start = (where: Listen): Promise<ApiHost> =>
    startApiHost({
      listen: where,
      advertise: (port) => renderAddress({ ...where, port }),
      inventory,
      secret,
      clock,
      faults: createStoredFaults(deps),
      clusters: { describeClusterApi: (cluster) => describeClusterApi(deps, cluster) },
      isTenant: isUid,
      isSourceValid: createAccountSourceCheck({ pool, clock }),
      findHolder: createHolderSearch({ pool }),
      lastingKeys: false,
      onChange,
      onTrouble: (trouble) => log.warn({ trouble }, "a simulated cloud API failed"),
    });
  let host: ApiHost;
  try {
    host = await start(wanted);
  } catch (error) {
    if (listen !== undefined || remembered !== undefined) return { refused: describeError(error) };
    host = await start({ ...usual, port: 0 });
  }
  const isOurs =
    host.secureAddress === cloudsAddress || (await updateSimulatedCloudsAddress(pool, cloudsAddress, host.secureAddress));
  if (isOurs) return host;
  await host.close();
  return { refused: "another replica has just started to serve the simulated cloud APIs at a different address" };
}

async function describeClusterApi(
  deps: { readonly pool: Pool; readonly keyRing: KeyRing; readonly clock: Clock },
  { tenant, region, name }: { readonly tenant: string; readonly region: string; readonly name: string },
): Promise<{ readonly endpoint: string; readonly caPem: string }> {
  const { pool, clock } = deps;
  const given = { version: firstVersion, createdAtMs: clock.now(), recordTypes: listClusterTypes().clusters };
  const row = await expectSimulatedCluster(pool, { accountUid: tenant, region, name }, given);
  if (row === undefined) throw new Fault(simulatorFaults.no_such_cluster, `the account of cluster ${name} does not exist`);
  const { secret, address } = await readInstallation(deps);
  const { id, version, createdAtMs } = row;
  const { endpoint } = createClusterCredentials({ secret, address }, { id, version, createdAtMs });
  return { endpoint: endpoint.server, caPem: endpoint.certificateAuthorityPem };
}

const mostHolders = 10_000;

/** Creates a function that returns the project of an account. The project of an account never changes. */
function createHolderSearch({ pool }: { readonly pool: Pool }): (accountUid: string) => Promise<string> {
  const projects = new Map<string, string>();
  return async (accountUid) => {
    const known = projects.get(accountUid);
    if (known !== undefined) return known;
    const place = await findAccountPlace(pool, accountUid);
    if (place === undefined) return accountUid;
    if (projects.size >= mostHolders) projects.clear();
    projects.set(accountUid, place.project);
    return place.project;
  };
}

import { describeError, type Clock, type Logger } from "@cloudwright/platform";
import {
  startKubernetesHost,
  type CloudHooks,
  type KubernetesHost,
  type KubernetesObjects,
  type WorkTrace,
} from "@cloudwright/simulator";
import { findClusterPause, updateSimulatedAddress, type KeyRing, type Pool } from "@cloudwright/store";
import { parseAddress, renderAddress, type Listen } from "./addresses.ts";
import { readInstallation } from "./installation.ts";
import { createSourceCheck } from "./source-check.ts";

const usual: Listen = { host: "127.0.0.1", port: 8482 };

/**
 * Serves simulated clusters at their previous address, so that existing kubeconfigs stay valid. Returns `refused` with the error if that
 * address is in use, most likely by another replica. The first start falls back to any free port unless an address is configured.
 */
export async function openHost(
  deps: { readonly pool: Pool; readonly keyRing: KeyRing; readonly clock: Clock; readonly log: Logger },
  given: {
    readonly listen: Listen | undefined;
    readonly store: KubernetesObjects;
    readonly hooks: CloudHooks;
    readonly trace?: WorkTrace;
  },
): Promise<KubernetesHost | { readonly refused: string }> {
  const { pool, clock, log } = deps;
  const { listen, store, hooks, trace } = given;
  const { secret, address } = await readInstallation(deps);
  const remembered = parseAddress(address);
  const wanted = listen === undefined ? (remembered ?? usual) : { ...listen, port: listen.port || (remembered?.port ?? 0) };
  const start = (where: Listen): Promise<KubernetesHost> =>
    startKubernetesHost({
      listen: where,
      advertise: (port) => renderAddress({ ...where, port }),
      store,
      secret,
      clock,
      hooks,
      ...(trace !== undefined && { trace }),
      findPause: (id) => findClusterPause(pool, id),
      isSourceValid: createSourceCheck({ pool, clock }),
      lastingTokens: false,
      onTrouble: (trouble) => log.warn({ trouble }, "a simulated cluster failed; retrying"),
    });
  let host: KubernetesHost;
  try {
    host = await start(wanted);
  } catch (error) {
    if (listen !== undefined || remembered !== undefined) return { refused: describeError(error) };
    host = await start({ ...usual, port: 0 });
  }
  if (host.address === address || (await updateSimulatedAddress(pool, address, host.address))) return host;
  await host.close();
  return { refused: "another replica has just started to serve the simulated clusters at a different address" };
}

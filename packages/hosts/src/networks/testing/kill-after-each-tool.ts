import type { HostDeps } from "../../host-deps.ts";
import { nameObject } from "../../names.ts";
import type { Network } from "../network.ts";
import { openNetworks } from "../networks.ts";
import { createCrash, newUid } from "./world.ts";

const undo = { ensure: "remove", attach: "detach", detach: "attach", remove: "ensure" } as const;
type Step = keyof typeof undo;

/**
 * Interrupts each operation of a network after each of its tools, and repeats it. `check` is called after each operation with the namespace
 * of the port. Returns the number of interruptions.
 */
export async function killAfterEachTool(
  host: HostDeps,
  network: Network,
  check: (namespace: string, isAttached: boolean) => Promise<void>,
): Promise<number> {
  const port = { uid: newUid(), network: network.uid, name: "a" };
  const run = async (deps: HostDeps, step: Step): Promise<unknown> => {
    const opened = await openNetworks(deps);
    if (step === "ensure") return opened.ensure(network);
    if (step === "attach") return opened.attach(port);
    return step === "detach" ? opened.detach(port.uid) : opened.remove(network.uid);
  };
  let kills = 0;
  for (const step of ["ensure", "attach", "detach", "remove"] as const) {
    for (let at = 0; ; at += 1) {
      const crash = createCrash(at);
      await run({ ...host, run: crash.run }, step).catch((error: unknown) => {
        if (!crash.crashed()) throw error;
      });
      if (!crash.crashed()) break;
      kills += 1;
      await run(host, step);
      await run(host, undo[step]);
    }
    // The last round was not killed, so its result is removed for the next one.
    await run(host, undo[step]);
    await run(host, step);
    await check(nameObject("namespace", port.uid), step === "attach");
  }
  return kills;
}

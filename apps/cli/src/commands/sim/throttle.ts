import { Fault } from "@cloudwright/platform/fault";
import { addExamples, onServer, type Configure } from "../../command-context.ts";
import { cliFaults } from "../../faults.ts";
import { parseCount } from "../../list-flags.ts";
import { addAccountFlag, printCloud, requireAccount } from "./account.ts";

/** `cloud sim throttle 2`: accepts two calls per simulated second and throttles the rest. */
export const configureSimThrottle: Configure = (command, context) => {
  addAccountFlag(command.argument("[calls]", "calls accepted per simulated second", parseCount))
    .option("--burst <number>", "additional calls accepted in a burst (default: the number of calls per second)", parseCount)
    .option("--off", "stop throttling");
  addExamples(command, "cloud sim throttle 2 --account sandbox", "cloud sim throttle 5 --burst 1", "cloud sim throttle --off");
  onServer(command, context, async (session, [calls], flags) => {
    const { client, project, world } = session;
    const off = flags["off"] === true;
    if (off === (calls !== undefined)) throw new Fault(cliFaults.usage, "use either a number of calls or --off");
    const account = await requireAccount(session, flags);
    const burst = flags["burst"] as number | undefined;
    const change = { callsPerSecond: Number(calls ?? 0), ...(burst === undefined || off ? {} : { burst }) };
    const cloud = await client.simulations.adjust(project, account, change, { signal: world.signal });
    await printCloud(session, cloud, off ? "throttling is off" : `limited to ${calls} calls per simulated second`);
  });
};

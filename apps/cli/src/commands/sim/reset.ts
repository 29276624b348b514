import { Fault } from "@cloudwright/platform/fault";
import { addExamples, onServer, type Configure } from "../../command-context.ts";
import { cliFaults } from "../../faults.ts";
import { askText } from "../../prompt.ts";
import { addAccountFlag, printCloud, requireAccount } from "./account.ts";

/** `cloud sim reset`: deletes all resources of a simulated cloud. Entities built in it are then reported as missing. */
export const configureSimReset: Configure = (command, context) => {
  addAccountFlag(command).option("-y, --yes", "skip the confirmation");
  addExamples(command, "cloud sim reset --account sandbox", "cloud sim reset --account sandbox --yes");
  onServer(command, context, async (session, _args, flags) => {
    const { client, project, world } = session;
    const account = await requireAccount(session, flags);
    if (flags["yes"] !== true) {
      if (!world.stdin.isTTY) throw new Fault(cliFaults.not_confirmed, "resetting without a terminal requires --yes");
      const { records = {}, account: name = account } = await client.simulations.get(project, account, { signal: world.signal });
      const count = Object.values(records).reduce((sum, each) => sum + each, 0);
      world.stderr.write(`This deletes all resources (${count}), faults, quotas and settings of simulated account ${name}.\n`);
      if ((await askText(world, `Type ${name} to confirm`)) !== name)
        throw new Fault(cliFaults.not_confirmed, `simulated account/${name}: not emptied`);
    }
    await printCloud(
      session,
      await client.simulations.reset(project, account, { signal: world.signal }),
      "the simulated cloud is now empty",
    );
  });
};

import { Fault } from "@cloudwright/platform/fault";
import { InvalidArgumentError } from "commander";
import { addExamples, onServer, type Configure } from "../../command-context.ts";
import { parseDuration } from "../../duration.ts";
import { cliFaults } from "../../faults.ts";
import { parseCount } from "../../list-flags.ts";
import { addAccountFlag, printCloud, requireAccount } from "./account.ts";

/** `cloud sim slow --speed 10`: makes ten simulated seconds pass per real second. */
export const configureSimSlow: Configure = (command, context) => {
  addAccountFlag(command)
    .option("--speed <number>", "simulated seconds per real second; 1 is real time (default: 1000)", parseCount)
    .option("--lag <duration>", "simulated time before other services can see a new resource", parseLag)
    .option("--off", "restore the default speed, without lag");
  addExamples(command, "cloud sim slow --speed 10 --account sandbox", "cloud sim slow --lag 30s", "cloud sim slow --off");
  onServer(command, context, async (session, _args, flags) => {
    const { client, project, world } = session;
    const { speed, lag, off = false } = flags as { speed?: number; lag?: number; off?: boolean };
    if (off === (speed !== undefined || lag !== undefined))
      throw new Fault(cliFaults.usage, "specify --speed, --lag or both, or only --off");
    const account = await requireAccount(session, flags);
    const change = off
      ? { speed: 0, lagMs: 0 }
      : { ...(speed === undefined ? {} : { speed }), ...(lag === undefined ? {} : { lagMs: lag }) };
    const cloud = await client.simulations.adjust(project, account, change, { signal: world.signal });
    const { speed: now = 0, lagMs = 0 } = cloud.conditions ?? {};
    await printCloud(
      session,
      cloud,
      `speed set to ${now}; new resources are visible ${lagMs === 0 ? "immediately" : `after ${lagMs}ms`}`,
    );
  });
};

function parseLag(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw new InvalidArgumentError("Use a duration such as 500ms or 30s.");
  return ms;
}

import { claimMachine, listMounts, openHost, runTool, type Host } from "@cloudwright/hosts";
import { Fault } from "@cloudwright/platform/fault";
import { rm, stat } from "node:fs/promises";
import { addExamples, onlyHere, type Configure } from "../../command-context.ts";
import { readCommonFlags } from "../../common-flags.ts";
import { cliFaults } from "../../faults.ts";
import { createOutput } from "../../output/output.ts";
import { confirm } from "../../prompt.ts";
import type { World } from "../../world.ts";
import { addAgentFlag, findHostFolder } from "./host-folder.ts";

/**
 * `cloud local clean`: removes the instances, volumes, networks and images of this machine, and everything else that its agent created as a
 * host. Refuses to run while an agent acts as the host.
 */
export const configureLocalClean: Configure = (command, { world }) => {
  addAgentFlag(command).option("-y, --yes", "skip the confirmation");
  addExamples(command, "sudo cloud local clean", "sudo cloud local clean --agent-dir /var/lib/cloudwright/agent --yes");
  onlyHere(command, async (_args, flags, self) => {
    const output = createOutput(world, readCommonFlags(self));
    const directory = findHostFolder(world, flags);
    if ((await stat(directory).catch(() => undefined)) === undefined)
      return output.done(`${directory} does not exist, so there is nothing to remove`);
    if (process.getuid?.() !== 0)
      throw new Fault(cliFaults.needs_root, "instances and networks of this machine can be removed only by root");
    const release = await claimMachine();
    try {
      const host = await openHost({ directory, run: runTool, clock: world.clock });
      if (flags["yes"] !== true) await requireConsent(world, directory, host);
      await host.clean(world.signal);
      await removeFolder(directory);
    } finally {
      await release();
    }
    output.done(`everything that the platform created on this machine was removed, with ${directory}`);
  });
};

async function requireConsent(world: World, directory: string, { instances, volumes, networks, images }: Host): Promise<void> {
  if (!world.stdin.isTTY) throw new Fault(cliFaults.not_confirmed, "removing everything without a terminal requires --yes");
  const lists = { instances, volumes, networks, images };
  const counts = Object.entries(lists).map(async ([what, { list }]) => `${what}: ${(await list()).length}`);
  world.stderr.write(`This deletes everything in ${directory}, data included (${(await Promise.all(counts)).join(", ")}).\n`);
  world.stderr.write(
    "This command does not notify the server. The server will report its entities on this machine as missing.\n",
  );
  if (!(await confirm(world, "Remove everything?"))) throw new Fault(cliFaults.not_confirmed, "nothing was removed");
}

/** Removes the folder. A file system that is still mounted below it would lose its contents, so that is refused. */
async function removeFolder(directory: string): Promise<void> {
  const [mounted] = await listMounts(directory);
  if (mounted !== undefined)
    throw new Fault(cliFaults.still_mounted, `${mounted} is still mounted, so ${directory} was not removed`);
  await rm(directory, { recursive: true, force: true });
}

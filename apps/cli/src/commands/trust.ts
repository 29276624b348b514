import type { EntityByKind, Stored } from "@cloudwright/api-client";
import { getKind } from "@cloudwright/contract/kinds";
import { Fault } from "@cloudwright/platform/fault";
import { renderFingerprint } from "@cloudwright/platform/openssh-key";
import { addExamples, onServer, type Configure } from "../command-context.ts";
import { cliFaults } from "../faults.ts";
import { conclude } from "../operations/conclude.ts";
import { addWaitFlags } from "../operations/wait.ts";
import { confirm } from "../prompt.ts";
import { parseName } from "../references.ts";

/** `cloud inventory trust NAME HOST`: shows the host keys that a host presents, and trusts them after a confirmation. */
export const configureTrust: Configure = (command, context) => {
  command.argument("<name>", "name or uid of the inventory");
  command.argument("<host>", "name of the host");
  command.option("-y, --yes", "trust the keys without asking");
  addWaitFlags(command, "the hosts have been checked with the new keys");
  addExamples(command, "cloud inventory trust rack node-1 --wait");
  onServer(command, context, async (session, [text = "", host = ""], flags) => {
    const { client, project, world, output } = session;
    const kind = getKind("Inventory");
    const inventory = await client.inventories.get(project, parseName(kind, text).name, { signal: world.signal });
    const offered = findOffered(inventory, host);
    for (const key of offered) output.note(`${host} presents ${key.split(" ")[0] ?? ""} ${renderFingerprint(key)}`);
    output.note("compare the fingerprints with those on the machine's console: ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub");
    if (flags["yes"] !== true) {
      if (!world.stdin.isTTY)
        throw new Fault(cliFaults.no_terminal, "the keys must be confirmed; add --yes if you have compared them");
      if (!(await confirm(world, `Trust these keys for host ${host}?`)))
        throw new Fault(cliFaults.usage, "the keys were not trusted");
    }
    let accepted: string | undefined;
    const options = { signal: world.signal, onAccepted: (operation: string) => void (accepted = operation) };
    const hosts = (inventory.spec?.hosts ?? []).map((each) => (each.name === host ? { ...each, hostKeys: offered } : each));
    const change: EntityByKind["Inventory"] = {
      metadata: { resourceVersion: inventory.metadata.resourceVersion },
      spec: { hosts },
    };
    const entity = await client.inventories.patch(project, inventory.metadata.uid, change, options);
    await conclude(session, { item: { kind, cluster: undefined, entity }, accepted, done: `trusts ${host}` }, flags);
  });
};

/** Returns the keys that the host presented in the last check. Throws if there are none. */
function findOffered({ metadata, spec, status }: Stored<EntityByKind["Inventory"]>, host: string): string[] {
  const { name } = metadata;
  if (spec?.hosts?.some((each) => each.name === host) !== true)
    throw new Fault(
      cliFaults.usage,
      `inventory ${name} has no host ${host}; \`cloud inventory check ${name} --wait\` lists them`,
    );
  const found = status?.hosts?.find((each) => each.name === host);
  const keys = found?.hostKeys ?? [];
  if (keys.length > 0) return keys;
  const why = found?.message === undefined || found.message === "" ? "it has not been checked yet" : found.message;
  throw new Fault(cliFaults.no_host_key, `host ${host} has presented no keys: ${why}`);
}

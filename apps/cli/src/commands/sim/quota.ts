import { cloudNames, getCloud } from "@cloudwright/contract/clouds";
import { Fault } from "@cloudwright/platform/fault";
import { addExamples, onServer, type Configure } from "../../command-context.ts";
import { cliFaults } from "../../faults.ts";
import { isStructured } from "../../output/output.ts";
import { addAccountFlag, printCloud, requireAccount } from "./account.ts";

/** `cloud sim quota vpcs-per-region=0`: sets quotas. Without arguments, lists the quotas that were set. */
export const configureSimQuota: Configure = (command, context) => {
  addAccountFlag(command.argument("[quotas...]", "NAME=NUMBER to set a quota, or NAME=default to restore the cloud's default"));
  command.addHelpText("after", `\n${describeQuotas()}`);
  addExamples(
    command,
    "cloud sim quota --account sandbox",
    "cloud sim quota vpcs-per-region=0",
    "cloud sim quota vpcs-per-region=default roles=3",
  );
  onServer(command, context, async (session, given, flags) => {
    const { client, output, project, world } = session;
    const wanted = Object.fromEntries(given.map(parseQuota));
    const account = await requireAccount(session, flags);
    if (given.length > 0) {
      const changed = await client.simulations.adjust(project, account, { quotas: wanted }, { signal: world.signal });
      return printCloud(session, changed, `set ${given.join(", ")}`);
    }
    const cloud = await client.simulations.get(project, account, { signal: world.signal });
    if (isStructured(output.format)) return output.structure(cloud);
    const quotas = Object.entries(cloud.conditions?.quotas ?? {});
    if (output.format === "name") return quotas.forEach(([name]) => output.line(name));
    if (quotas.length === 0) return output.note(`the simulated cloud of account ${account} uses the default quotas`);
    const columns = [
      { title: "SIMULATED QUOTA", value: ([name]: [string, number]) => name },
      { title: "LIMIT", value: ([, most]: [string, number]) => String(most) },
    ];
    output.table(columns, quotas);
  });
};

/** Lists the quotas of each cloud, with their defaults. */
function describeQuotas(): string {
  return cloudNames
    .map((name) => getCloud(name))
    .filter(({ quotas }) => Object.keys(quotas).length > 0)
    .map(({ title, quotas }) => {
      const lines = Object.entries(quotas).map(([name, most]) => `  ${name} (default: ${most})`);
      return [`Quotas of ${title}:`, ...lines].join("\n");
    })
    .join("\n\n");
}

function parseQuota(text: string): [name: string, most: number] {
  const match = /^([a-z][-a-z0-9]*)=(\d{1,6}|default)$/.exec(text);
  if (match === null) throw new Fault(cliFaults.usage, `"${text}" is neither NAME=NUMBER nor NAME=default`);
  return [match[1] as string, match[2] === "default" ? -1 : Number(match[2])];
}

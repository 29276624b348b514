import { findPolicy, policyClouds } from "@cloudwright/clouds/policies";
import { cloudOf, defaultCloud, isCloudName } from "@cloudwright/contract/clouds";
import { getKind } from "@cloudwright/contract/kinds";
import { Fault } from "@cloudwright/platform/fault";
import { Option } from "commander";
import { addCommonFlags } from "../common-flags.ts";
import { addExamples, type Configure } from "../command-context.ts";
import { openSession } from "../connection/session.ts";
import { getItem } from "../entities.ts";
import { cliFaults } from "../faults.ts";
import { parseName } from "../references.ts";

const features = [...new Set(policyClouds.flatMap((cloud) => findPolicy(cloud)?.features ?? []))].join(", ");

/**
 * `cloud account iam-policy`: prints the minimal policy for an account's credentials. Standard output contains only the JSON
 * document.
 */
export const configureAccountPolicy: Configure = (command, { world }) => {
  command.argument("[name]", "name or uid of the account; not needed with --cloud");
  command.addOption(new Option("--cloud <cloud>", "print the policy for a cloud, without an account").choices(policyClouds));
  command.option("--feature <feature>", `features to allow: ${features}; can be repeated or comma-separated`, collect, []);
  addExamples(
    command,
    "cloud account iam-policy production",
    `cloud account iam-policy --cloud ${defaultCloud} --feature network,cluster > policy.json`,
  );
  addCommonFlags(command).action(async (name: string | undefined, flags: { cloud?: string; feature: string[] }) => {
    const cloud = flags.cloud ?? (await findAccountCloud(name));
    const policy = isCloudName(cloud) ? findPolicy(cloud) : undefined;
    const known = policy?.features.join(", ") ?? features;
    const stranger = flags.feature.find((feature) => policy?.features.includes(feature) === false);
    if (stranger !== undefined) throw new Fault(cliFaults.usage, `unknown feature "${stranger}"; available features: ${known}`);
    if (policy === undefined) {
      throw new Fault(cliFaults.usage, `no policy is available for ${cloud}; supported clouds: ${policyClouds.join(", ")}`);
    }
    const document = policy.render(flags.feature);
    world.stdout.write(`${JSON.stringify(document, undefined, 2)}\n`);
    const warning = policy.findWarning(document);
    if (warning !== undefined) world.stderr.write(`note: ${warning}\n`);
  });

  async function findAccountCloud(name: string | undefined): Promise<string> {
    if (name === undefined) throw new Fault(cliFaults.usage, `specify an account, or a cloud with --cloud ${defaultCloud}`);
    const { entity } = await getItem(await openSession(world, command), parseName(getKind("Account"), name));
    return cloudOf(entity.spec ?? {}) ?? "";
  }
};

function collect(value: string, before: readonly string[]): string[] {
  return [...before, ...value.split(",").map((feature) => feature.trim())];
}

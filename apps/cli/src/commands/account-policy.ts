import { findPolicy, policyClouds, type PermissionPolicy } from "@cloudwright/clouds/policies";
import { cloudOf, defaultCloud, isCloudName } from "@cloudwright/contract/clouds";
import { getKind } from "@cloudwright/contract/kinds";
import { Fault } from "@cloudwright/platform/fault";
import { Option } from "commander";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { addCommonFlags } from "../common-flags.ts";
import { addExamples, type Configure } from "../command-context.ts";
import { openSession } from "../connection/session.ts";
import { getItem } from "../entities.ts";
import { cliFaults } from "../faults.ts";
import { parseName } from "../references.ts";

const features = [...new Set(policyClouds.flatMap((cloud) => findPolicy(cloud)?.features ?? []))].join(", ");

/**
 * `cloud account policy`: prints the minimal permissions for an account's credentials, as a policy or custom role for the account's cloud.
 * Standard output contains only the JSON document.
 */
export const configureAccountPolicy: Configure = (command, { world }) => {
  command.argument("[name]", "name or uid of the account; not needed with --cloud");
  command.addOption(new Option("--cloud <cloud>", "print the policy for a cloud, without an account").choices(policyClouds));
  command.option("--feature <feature>", `features to allow: ${features}; can be repeated or comma-separated`, collect, []);
  command.option("--split <folder>", "write one file per feature to this folder, because clouds limit the size of a policy");
  addExamples(
    command,
    "cloud account policy production",
    "cloud account policy production --split policies/",
    `cloud account policy --cloud ${defaultCloud} --feature network,cluster > policy.json`,
  );
  addCommonFlags(command).action(
    async (name: string | undefined, flags: { cloud?: string; feature: string[]; split?: string }) => {
      const cloud = flags.cloud ?? (await findAccountCloud(name));
      const policy = isCloudName(cloud) ? findPolicy(cloud) : undefined;
      const known = policy?.features.join(", ") ?? features;
      const stranger = flags.feature.find((feature) => policy?.features.includes(feature) === false);
      if (stranger !== undefined) throw new Fault(cliFaults.usage, `unknown feature "${stranger}"; available features: ${known}`);
      if (policy === undefined) {
        throw new Fault(cliFaults.usage, `no policy is available for ${cloud}; supported clouds: ${policyClouds.join(", ")}`);
      }
      if (flags.split !== undefined) return writeFiles(policy, flags.feature, flags.split);
      const document = policy.render(flags.feature);
      world.stdout.write(`${JSON.stringify(document, undefined, 2)}\n`);
      const warning = policy.findWarning(document);
      if (warning !== undefined) world.stderr.write(`note: ${warning}\n`);
    },
  );

  function writeFiles(policy: PermissionPolicy, chosen: readonly string[], folder: string): void {
    mkdirSync(folder, { recursive: true });
    for (const feature of chosen.length === 0 ? policy.features : new Set(chosen)) {
      const path = join(folder, `${feature}.json`);
      writeFileSync(path, `${JSON.stringify(policy.render([feature]), undefined, 2)}\n`);
      world.stdout.write(`${path}\n`);
    }
  }

  async function findAccountCloud(name: string | undefined): Promise<string> {
    if (name === undefined) throw new Fault(cliFaults.usage, `specify an account, or a cloud with --cloud ${defaultCloud}`);
    const { entity } = await getItem(await openSession(world, command), parseName(getKind("Account"), name));
    return cloudOf(entity.spec ?? {}) ?? "";
  }
};

function collect(value: string, before: readonly string[]): string[] {
  return [...before, ...value.split(",").map((feature) => feature.trim())];
}

import { cloudOf } from "@cloudwright/contract/clouds";
import { awsFeatures, renderPolicy, type AwsFeature } from "@cloudwright/clouds/aws-policy";
import { getKind } from "@cloudwright/contract/kinds";
import { Fault } from "@cloudwright/platform/fault";
import { Option } from "commander";
import { addCommonFlags } from "../common-flags.ts";
import { addExamples, type Configure } from "../command-context.ts";
import { openSession } from "../connection/session.ts";
import { getItem } from "../entities.ts";
import { cliFaults } from "../faults.ts";
import { parseName } from "../references.ts";

/** `cloud account iam-policy`: prints the least-privilege policy for an account's credentials as JSON, and nothing else on standard output. */
export const configureIamPolicy: Configure = (command, { world }) => {
  command.argument("[name]", "name or uid of the account; not needed with --cloud");
  command.addOption(new Option("--cloud <cloud>", "print the policy for a cloud, without an account").choices(["aws"]));
  command.option(
    "--feature <feature>",
    `features to allow: ${awsFeatures.join(", ")}; can be repeated or comma-separated`,
    collect,
    [],
  );
  addExamples(
    command,
    "cloud account iam-policy production",
    "cloud account iam-policy --cloud aws --feature network,cluster > policy.json",
  );
  addCommonFlags(command).action(async (name: string | undefined, flags: { cloud?: string; feature: string[] }) => {
    const stranger = flags.feature.find((feature) => !isFeature(feature));
    if (stranger !== undefined) {
      throw new Fault(cliFaults.usage, `--feature ${stranger} is not one of ${awsFeatures.join(", ")}`);
    }
    const cloud = flags.cloud ?? (await findCloud(name));
    if (cloud !== "aws") throw new Fault(cliFaults.usage, `policies are shown for accounts of aws, not of ${cloud}`);
    const features = flags.feature.filter(isFeature);
    const policy = renderPolicy(features.length === 0 ? awsFeatures : features);
    world.stdout.write(`${JSON.stringify(policy, undefined, 2)}\n`);
    const length = JSON.stringify(policy).length;
    if (length <= managedPolicyLength) return;
    const limits = `${length} characters without spaces; IAM takes ${managedPolicyLength} in a managed policy and 10240 in those inside a role`;
    world.stderr.write(`note: ${limits}: make a managed policy of each feature, by --feature ${awsFeatures.join(", ")}\n`);
  });

  async function findCloud(name: string | undefined): Promise<string> {
    if (name === undefined) throw new Fault(cliFaults.usage, "name an account, or a cloud with --cloud aws");
    const { entity } = await getItem(await openSession(world, command), parseName(getKind("Account"), name));
    return cloudOf(entity.spec ?? {}) ?? "";
  }
};

/** Maximum length of a managed policy. White space does not count. */
const managedPolicyLength = 6144;

function collect(value: string, before: readonly string[]): string[] {
  return [...before, ...value.split(",").map((feature) => feature.trim())];
}

function isFeature(feature: string): feature is AwsFeature {
  return awsFeatures.some((known) => known === feature);
}

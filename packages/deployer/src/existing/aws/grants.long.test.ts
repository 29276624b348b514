import { processEnvironment, requireTool, Secret } from "@cloudwright/platform";
import { createMemoryInventory } from "@cloudwright/simulator";
import { startApiHost } from "@cloudwright/simulator/testing";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { existingEks } from "./facts.ts";

const run = promisify(execFile);
const aws = requireTool("aws");
if (!aws.found) console.log(`skipped the aws CLI: ${aws.reason}`);

test.skipIf(!aws.found)(
  "X016 the aws CLI accepts the printed commands, and they grant access and the denied actions",
  { timeout: 600_000 },
  async () => {
    const inventory = createMemoryInventory();
    const host = await startApiHost({ inventory, secret: new Secret("test"), listen: { port: 0 } });
    const folder = await mkdtemp(join(tmpdir(), "cw-grants-"));
    onTestFinished(async () => {
      await host.close();
      await rm(folder, { recursive: true, force: true });
    });
    const { environment } = await host.issue("grants", "aws", { region: "eu-west-1" });
    const base = { PATH: processEnvironment["PATH"], HOME: folder, AWS_PAGER: "", AWS_EC2_METADATA_DISABLED: "true" };
    const sh = async (command: string): Promise<string> =>
      (await run("sh", ["-ec", command], { cwd: folder, env: { ...base, ...environment } })).stdout.trim();
    const put = (type: string, id: string, attributes: Record<string, string>) =>
      inventory.put("grants", { type, id, attributes: { id, region: "eu-west-1", ...attributes } });
    await put("aws_vpc", "vpc-1", { cidr_block: "10.0.0.0/16" });
    for (const [index, zone] of ["a", "b"].entries()) {
      const place = { vpc_id: "vpc-1", availability_zone: `eu-west-1${zone}`, cidr_block: `10.0.${index}.0/24` };
      await put("aws_subnet", `subnet-${zone}`, place);
    }
    const trust = JSON.stringify({
      Version: "2012-10-17",
      Statement: [{ Effect: "Allow", Principal: { Service: "eks.amazonaws.com" }, Action: "sts:AssumeRole" }],
    });
    const principal = await sh(
      `aws iam create-role --role-name cloudwright --assume-role-policy-document '${trust}' --query Role.Arn --output text`,
    );
    const id = await sh(
      `aws eks create-cluster --name shop --role-arn ${principal} --resources-vpc-config subnetIds=subnet-a,subnet-b --query cluster.arn --output text`,
    );
    await sh("aws eks wait cluster-active --name shop");
    // By default, the aws CLI creates clusters that do not allow access entries.
    const readMode = () =>
      sh("aws eks describe-cluster --name shop --query cluster.accessConfig.authenticationMode --output text");
    const grantee = { id, cluster: "shop", region: "eu-west-1", principal, authenticationMode: await readMode() };
    expect(grantee.authenticationMode).toBe("CONFIG_MAP");

    await sh(existingEks.renderAccessGrant(grantee).join(" && "));
    const policies = `aws eks list-associated-access-policies --cluster-name shop --principal-arn ${principal}`;
    expect(await sh(policies)).toContain("AmazonEKSClusterAdminPolicy");
    // The entry exists now. Associating the policy again must not fail.
    const known = { ...grantee, authenticationMode: await readMode() };
    await sh(existingEks.renderRightGrant(known, { verb: "patch", resource: "nodes" }).join(" && "));

    await sh(existingEks.renderActionGrant(grantee, existingEks.actions).join(" && "));
    const granted = await sh("aws iam get-role-policy --role-name cloudwright --policy-name cloudwright-shop --output json");
    for (const action of existingEks.actions) expect(granted).toContain(action);
    expect(granted).toContain(id);
  },
);

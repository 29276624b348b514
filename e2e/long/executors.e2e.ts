import { requireTool } from "@cloudwright/platform";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeFilePlugIn } from "../executors/file-plug-in.ts";
import { openPlatform, type Platform } from "../runs/platform.ts";
import { waitUntil } from "../wait-until.ts";

// The agent starts its built-in deployer only if Terraform is installed.
const tool = requireTool("terraform");
if (!tool.found) console.log(`skipped: ${tool.reason}`);

const policies = `
description: Gateways need approval.
rules:
  - name: gateways-need-approval
    description: A gateway costs money.
    severity: must
    on: plan
    match: { kinds: [Network] }
    each: changes
    when: item.type == "file_gateway" && item.action == "create"
    check: "false"
    path: "{{ item.address }}"
    message: "{{ item.address }} costs money"
    fix: Request approval.
`;

describe.skipIf(!tool.found)("an executor of a plug-in from the user's perspective", () => {
  let platform: Platform;
  let folder: string;
  beforeAll(async () => {
    platform = await openPlatform(policies);
    folder = join(platform.server.home, "resources");
    const plugIn = await writeFilePlugIn(platform.server.home, folder);
    await platform.restart({ CLOUDWRIGHT_AGENT_PLUGINS: plugIn, CLOUDWRIGHT_DRIFT_CHECK: "Network=1s,*=off" });
  });
  afterAll(() => platform?.close());

  const list = (): string[] => readdirSync(folder).map((name) => name.split("-")[0] ?? "");

  test("X035 M071 M077 M042 X010 policies, approval, logs, drift and deletion work as with Terraform", async () => {
    await platform.createNetwork("net");
    const { uid, findings } = await platform.awaitRun("net", "NEEDS_APPROVAL");
    expect(findings).toMatchObject([{ rule: "gateways-need-approval", severity: "must" }]);
    const plan = await platform.cloud("run", "plan", "network/net");
    expect(plan).toMatch(/\+ file_gateway\.main[^]*Plan: 5 to add, 0 to change, 0 to destroy\./);
    expect(list()).toEqual([]);

    await platform.cloud("run", "approve", uid, "--yes", "--wait");
    expect((await platform.network("net")).status["phase"]).toBe("RUNNING");
    expect(list().toSorted()).toEqual(["file_endpoint", "file_gateway", "file_network", "file_subnet", "file_table"]);
    const logs = await platform.cloud("run", "logs", "network/net");
    expect(logs).toMatch(/^\[network\.apply\] file_network\.main: create finished$/m);

    await platform.cloud("network", "update", "net", "--zones", "a", "--zones", "b", "--wait");
    expect(await platform.cloud("run", "plan", "network/net")).toContain("Plan: 1 to add, 1 to change, 0 to destroy.");
    expect(list().filter((type) => type === "file_subnet")).toHaveLength(2);

    const file = join(folder, readdirSync(folder).find((name) => name.startsWith("file_endpoint")) ?? "");
    const endpoint = JSON.parse(readFileSync(file, "utf8")) as { attributes: object };
    writeFileSync(file, JSON.stringify({ ...endpoint, attributes: { ...endpoint.attributes, zones: ["z"] } }));
    await waitUntil(
      "the drift is reported",
      async () => (await platform.attempt("admin", "drift", "get", "network/net")).code === 0,
    );
    expect(await platform.cloud("drift", "get", "network/net")).toContain("  ~ file_endpoint.main: zones");
    await platform.cloud("drift", "correct", "network/net", "--wait");
    expect(readFileSync(file, "utf8")).not.toContain('"z"');

    await platform.cloud("network", "delete", "net", "--yes", "--wait");
    expect(list()).toEqual([]);
    const answer = await platform.calls.send("GET", "/v1/projects/default/runs");
    const { items } = (await answer.json()) as { items: readonly { readonly uid: string; readonly purpose: string }[] };
    const removal = items.find(({ purpose }) => purpose === "destroy");
    expect(await platform.cloud("run", "plan", removal?.uid ?? "")).toMatch(/- file_network\.main/);
  });
});

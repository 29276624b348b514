import { requireTool } from "@cloudwright/platform";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openPlatform, type Platform } from "../runs/platform.ts";
import { waitUntil } from "../wait-until.ts";

const tool = requireTool("terraform");
if (!tool.found) console.log(`skipped: ${tool.reason}`);

const policies = `
description: Rules of this installation.
rules:
  - name: owner-is-named
    description: Networks with the label keep must name their owner.
    severity: must
    on: entity
    match: { kinds: [Network], labels: { keep: "*" } }
    check: metadata.labels.at("owner", "") != ""
    path: metadata.labels
    message: "{{ metadata.name }} has the label keep but no owner"
    fix: Set the label owner.
  - name: gateways-are-reviewed
    description: Gateways cost money, so an admin reviews them.
    severity: must
    on: plan
    match: { kinds: [Network] }
    each: changes
    when: item.type == "aws_nat_gateway" && item.action == "create"
    check: "false"
    path: "{{ item.address }}"
    message: "{{ item.address }} costs money"
    fix: Ask an admin to approve the plan.
`;

describe.skipIf(!tool.found)("Terraform runs from the user's perspective", () => {
  let platform: Platform;
  beforeAll(async () => void (platform = await openPlatform(policies)));
  afterAll(() => platform?.close());
  afterEach(async () => {
    for (const { metadata } of await platform.calls.list("/v1/projects/default/networks"))
      await platform.cloud("network", "delete", metadata.name ?? "", "--yes", "--wait");
    const left = await platform.list();
    if (left.length > 0)
      throw new Error(`leftover resources in the cloud: ${left.map(({ type, id }) => `${type} ${id}`).join(", ")}`);
  });

  const operationOf = async (name: string): Promise<string> => (await platform.network(name)).metadata.operation ?? "";
  const setDns = (on: boolean): Promise<string> => platform.change("aws_vpc", { enable_dns_hostnames: on });
  const isDnsOn = async (): Promise<unknown> => (await platform.list("aws_vpc"))[0]?.attributes["enable_dns_hostnames"];
  const addZone = (name: string, ...args: string[]): Promise<string> =>
    platform.cloud("network", "update", name, "--zones", "a", "--zones", "b", ...args);
  const subnets = async (): Promise<number> => (await platform.list("aws_subnet")).length;

  test("M060 M071 M077 M083 M084 a file is applied: created, unchanged, updated, deleted, and each run reports what it did", async () => {
    const render = (zones: string): string =>
      `kind: Network\nmetadata: { name: net }\nspec: { account: sim, region: eu-west-1, cidr: 10.7.0.0/16, zones: ${zones} }\n`;
    const file = await platform.write("net.yaml", render("[a]"));
    expect(await platform.cloud("apply", "-f", file, "--wait")).toContain("network/net is RUNNING");
    expect((await platform.list("aws_vpc"))[0]?.attributes["cidr_block"]).toBe("10.7.0.0/16");
    const logs = await platform.cloud("run", "logs", "network/net");
    expect(logs).toMatch(/^\[network\.plan\] Terraform has been successfully initialized!$/m);
    expect(logs).toMatch(/^\[network\.apply\] aws_vpc\.this\["network"\]: create finished after \d+ s \(vpc-\w+\)$/m);

    const tasks = await platform.countTasks("net");
    expect(await platform.cloud("apply", "-f", file, "--wait")).toContain("network/net unchanged");
    expect(await platform.countTasks("net")).toBe(tasks);

    await platform.write("net.yaml", render("[a, b]"));
    await platform.cloud("apply", "-f", file, "--wait");
    expect(await subnets()).toBe(6);
    expect(await platform.cloud("run", "plan", "network/net")).toMatch(
      /\+ aws_subnet\.public\["eu-west-1b"\][^]*Plan: 7 to add, 4 to change, 0 to destroy\./,
    );
    expect((await platform.runs("net")).map(({ state, purpose }) => [state, purpose])).toEqual([
      ["DONE", "apply"],
      ["DONE", "apply"],
    ]);
    const uid = (await platform.network("net")).metadata.uid ?? "";
    await platform.cloud("network", "delete", "net", "--yes", "--wait");
    expect(await platform.list()).toEqual([]);
    expect(
      await platform.cloud(
        "run",
        "get",
        (await platform.cloud("run", "list", "--entity", uid, "-o", "name")).split("\n")[0] ?? "",
      ),
    ).toMatch(/Purpose: +destroy\nState: +DONE/);
  });

  test("X032 X035 M071 a plan that would replace a network waits for approval, and exactly that plan is applied", async () => {
    await platform.createNetwork("net", "--wait");
    const id = await platform.change("aws_vpc", { cidr_block: "10.9.0.0/16" });
    await addZone("net");
    const { uid } = await platform.awaitRun("net", "NEEDS_APPROVAL");
    expect((await platform.network("net")).status["phase"]).toBe("RUNNING");
    expect(await platform.cloud("run", "list", "--state", "NEEDS_APPROVAL", "-o", "name")).toBe(`${uid}\n`);
    const plan = await platform.cloud("run", "plan", "network/net");
    expect(plan).toMatch(/-\/\+ aws_vpc\.this/);
    expect(plan).toMatch(/cidr_block += "10\.9\.0\.0\/16" -> "10\.0\.0\.0\/16" # forces replacement/);
    expect(plan).toMatch(/must +keep-traffic +aws_vpc\.this/);
    expect((await platform.list("aws_vpc")).map((vpc) => vpc.id)).toEqual([id]);

    for (const who of ["viewer", "editor"] as const) {
      expect((await platform.attempt(who, "run", "plan", uid)).code).toBe(0);
      expect(await platform.attempt(who, "run", "approve", uid, "--yes")).toMatchObject({
        code: 5,
        err: expect.stringContaining("(api.denied)"),
      });
    }
    expect((await platform.attempt("viewer", "run", "discard", uid)).code).toBe(5);
    expect((await platform.attempt("admin", "run", "approve", uid)).code).toBe(4);
    await platform.cloud("run", "approve", uid, "--yes", "--comment", "reviewed with ann", "--wait");
    const vpcs = await platform.list("aws_vpc");
    expect(vpcs.map(({ attributes }) => attributes["cidr_block"])).toEqual(["10.0.0.0/16"]);
    expect(vpcs[0]?.id).not.toBe(id);
    expect(await platform.runs("net")).toMatchObject([
      { uid, state: "DONE", approvedBy: "admin", comment: "reviewed with ann" },
      { state: "DONE" },
    ]);
  });

  test("X032 M053 discarding a plan fails its operation and changes nothing, and a request that allows it needs no approval", async () => {
    await platform.createNetwork("net", "--wait");
    const id = await platform.change("aws_vpc", { cidr_block: "10.9.0.0/16" });
    await addZone("net");
    const { uid } = await platform.awaitRun("net", "NEEDS_APPROVAL");
    expect((await platform.attempt("editor", "run", "discard", uid, "--comment", "not on a Friday")).code).toBe(0);
    const watched = await platform.attempt("admin", "operation", "watch", await operationOf("net"));
    expect(watched).toMatchObject({ code: 7, err: expect.stringContaining("discarded the plan") });
    expect((await platform.runs("net"))[0]).toMatchObject({ uid, state: "DISCARDED", discardedBy: "editor" });
    expect((await platform.attempt("admin", "run", "approve", uid, "--yes")).code).toBe(4);
    expect((await platform.list("aws_vpc")).map((vpc) => vpc.id)).toEqual([id]);

    await platform.cloud("network", "update", "net", "--zones", "a", "--zones", "c", "--allow", "replace", "--wait");
    expect((await platform.runs("net"))[0]).toMatchObject({ state: "DONE", approvedBy: "" });
    expect((await platform.list("aws_vpc")).map((vpc) => vpc.id)).not.toEqual([id]);
  });

  test("X032 M071 with approval always, a changed spec or state needs a new approval, and only approved changes are applied", async () => {
    await platform.createNetwork("net", "--infra-approval", "always");
    const first = await platform.awaitRun("net", "NEEDS_APPROVAL");
    expect(await platform.list()).toEqual([]);
    await platform.cloud("run", "approve", "network/net", "--yes", "--wait");
    await addZone("net");
    const second = await platform.awaitRun("net", "NEEDS_APPROVAL", first.uid);
    await platform.cloud("network", "update", "net", "--zones", "a", "--zones", "c");
    const third = await platform.awaitRun("net", "NEEDS_APPROVAL", second.uid);
    expect((await platform.runs("net")).map(({ state }) => state)).toEqual(["NEEDS_APPROVAL", "STALE", "DONE"]);
    expect(await platform.attempt("admin", "run", "approve", second.uid, "--yes")).toMatchObject({ code: 4 });

    // The rollback restores the same resources under a new serial number, which makes the existing plan stale.
    await platform.cloud("state", "rollback", "network/net", "1", "--yes");
    const fourth = await platform.awaitRun("net", "NEEDS_APPROVAL", third.uid);
    expect((await platform.runs("net")).map(({ state }) => state)).toEqual(["NEEDS_APPROVAL", "STALE", "STALE", "DONE"]);

    // This setting changes after the plan is made, so applying the plan must not revert it.
    await setDns(false);
    await platform.cloud("run", "approve", fourth.uid, "--yes", "--wait");
    expect([await subnets(), await isDnsOn()]).toEqual([6, false]);
    const zones = (await platform.list("aws_subnet")).map(({ attributes }) => attributes["availability_zone"]);
    expect(new Set(zones)).toEqual(new Set(["eu-west-1a", "eu-west-1c"]));
  });

  test("X035 with custom policies an entity is denied at admission, and a plan waits for approval", async () => {
    const denied = await platform.attempt(
      "editor",
      "network",
      "create",
      "net",
      "--account",
      "sim",
      "--region",
      "eu-west-1",
      "--label",
      "keep=long",
    );
    expect(denied).toMatchObject({
      code: 2,
      err: expect.stringMatching(/\(api\.denied_by_policy\)\n +metadata\.labels: net has the label keep/),
    });
    const body = { metadata: { name: "net", labels: { keep: "long" } }, spec: { account: "sim", region: "eu-west-1" } };
    expect((await platform.calls.send("POST", "/v1/projects/default/networks", body)).status).toBe(422);
    await platform.createNetwork("net", "--label", "keep=long", "--label", "owner=ann", "--nat", "single");
    const { uid } = await platform.awaitRun("net", "NEEDS_APPROVAL");
    expect(await platform.cloud("run", "get", "network/net")).toMatch(/must +gateways-are-reviewed +aws_nat_gateway\.this/);
    await platform.cloud("run", "approve", uid, "--yes", "--wait");
    expect(await platform.list("aws_nat_gateway")).toHaveLength(1);
  });

  test("M076 overrides reach the cloud, unsafe expressions are rejected with their location, and only admins may set overrides", async () => {
    await platform.createNetwork("net", "--wait");
    const update = async (who: "admin" | "editor", overrides: unknown) =>
      platform.attempt(
        who,
        "network",
        "update",
        "net",
        "--wait",
        "--infra-overrides-file",
        await platform.write("overrides.json", JSON.stringify(overrides)),
      );
    const good = { resource: { aws_vpc: { this: { enable_dns_hostnames: false } } } };
    expect(await update("editor", good)).toMatchObject({ code: 5, err: expect.stringContaining("spec.infra.overrides") });
    expect(await isDnsOn()).toBe(true);
    const bad: [string, unknown][] = [
      [
        "spec.infra.overrides.resource.aws_vpc.this.provisioner",
        { resource: { aws_vpc: { this: { provisioner: { "local-exec": { command: "id" } } } } } },
      ],
      [
        "spec.infra.overrides.resource.aws_vpc.this.cidr_block",
        { resource: { aws_vpc: { this: { cidr_block: '${file("/etc/passwd")}' } } } },
      ],
      ["spec.infra.overrides.module", { module: { other: { source: "./other" } } }],
    ];
    for (const [field, overrides] of bad)
      expect(await update("admin", overrides)).toMatchObject({ code: 2, err: expect.stringContaining(field) });
    expect((await platform.network("net")).metadata.generation).toBe(1);
    expect((await update("admin", good)).code).toBe(0);
    expect(await isDnsOn()).toBe(false);
    expect((await platform.runs("net"))[0]).toMatchObject({ state: "DONE", counts: { update: 1, replace: 0, create: 0 } });
  });

  test("X031 a resource created by a run that lost the response is imported by the next run", async () => {
    await platform.faults.add({ operation: "create", type: "aws_vpc", kind: "lost_reply" });
    await platform.createNetwork("net", "--wait");
    expect(await platform.list("aws_vpc")).toHaveLength(1);
    const runs = await platform.runs("net");
    expect(runs.map(({ state }) => state)).toEqual(["DONE", "STALE"]);
    expect(runs[0]).toMatchObject({ counts: { import: 1 } });
  });

  test("X080 an external change is found on demand with its values and author, and an update does not undo it without approval", async () => {
    await platform.createNetwork("net", "--wait");
    expect((await platform.network("net")).status["drift"]).toMatchObject({ state: "NEVER_CHECKED" });
    expect(await platform.cloud("drift", "check", "network/net", "--wait")).toMatch(/network\/net +in sync/);
    await setDns(false);
    expect(await platform.cloud("drift", "check", "--wait")).toMatch(/network\/net +drifted: 1 resource/);
    expect(await platform.cloud("drift", "get", "network/net")).toMatch(
      /changed by admin \(update\) at 20[^]*enable_dns_hostnames = true -> false/,
    );
    expect(await platform.cloud("get", "networks")).toContain("RUNNING (drifted)");

    await addZone("net");
    const { uid } = await platform.awaitRun("net", "NEEDS_APPROVAL");
    const plan = await platform.cloud("run", "plan", uid);
    expect(plan).toMatch(/must +drift-needs-approval +aws_vpc\.this/);
    expect(plan).toContain("# this plan undoes the external change to enable_dns_hostnames");
    expect(await isDnsOn()).toBe(false);
    expect((await platform.attempt("viewer", "drift", "check", "network/net")).code).toBe(5);
    await platform.cloud("run", "approve", uid, "--yes", "--wait");
    expect([await subnets(), await isDnsOn()]).toEqual([6, true]);
    expect((await platform.network("net")).status["drift"]).toMatchObject({ state: "OUTDATED" });
  });

  describe("with drift checks every second and a short approval timeout", () => {
    beforeAll(() => platform.restart({ CLOUDWRIGHT_DRIFT_CHECK: "Network=1s,*=off", CLOUDWRIGHT_APPROVAL_TTL: "2s" }));
    const driftState = async (name: string): Promise<string> => {
      const { code, out } = await platform.attempt("admin", "drift", "get", name, "-o", "jsonpath={.state}");
      return code === 0 ? out.trim() : "";
    };
    const awaitDrift = (state: string): Promise<void> =>
      waitUntil(`the report is ${state}`, async () => (await driftState("network/net")) === state);

    test("X032 M053 a late approval is rejected, and a retry creates a new plan", async () => {
      await platform.createNetwork("net", "--infra-approval", "always");
      const operation = await operationOf("net");
      const watched = await platform.attempt("admin", "operation", "watch", operation);
      expect(watched).toMatchObject({ code: 7, err: expect.stringContaining("in time") });
      const [run] = await platform.runs("net");
      expect(run?.state).toBe("STALE");
      expect((await platform.attempt("admin", "run", "approve", run?.uid ?? "", "--yes")).code).toBe(4);
      expect(await platform.list()).toEqual([]);
      await platform.cloud("operation", "retry", operation);
      await platform.awaitRun("net", "NEEDS_APPROVAL", run?.uid);
    });

    test("M042 X033 drift is reported, corrected on request, and ignored once it is accepted", async () => {
      await platform.createNetwork("net", "--wait");
      await setDns(false);
      await awaitDrift("OPEN");
      expect(await platform.cloud("drift", "list")).toMatch(/network\/net +OPEN +1 +0 +0/);
      expect(await platform.cloud("drift", "get", "network/net")).toContain(
        '  ~ aws_vpc.this["network"]: enable_dns_hostnames\n',
      );
      expect((await platform.attempt("viewer", "drift", "correct", "network/net")).code).toBe(5);
      expect((await platform.attempt("editor", "drift", "correct", "network/net", "--wait")).code).toBe(0);
      expect(await isDnsOn()).toBe(true);
      await awaitDrift("CORRECTED");

      await setDns(false);
      await awaitDrift("OPEN");
      expect((await platform.attempt("editor", "drift", "accept", "network/net", "--wait")).code).toBe(0);
      expect(await driftState("network/net")).toBe("ACCEPTED");
      expect((await platform.network("net")).spec["infra"]).toMatchObject({
        ignore: [{ address: 'aws_vpc.this["network"]', path: "enable_dns_hostnames", owner: "accepted by editor" }],
      });
      await addZone("net", "--wait");
      expect([await subnets(), await isDnsOn()]).toEqual([6, false]);
      expect(await platform.cloud("drift", "list")).toBe("");
      expect((await platform.cloud("drift", "list", "--all")).trim().split("\n")).toHaveLength(3);
    });

    test("M042 X033 the policy correct reverts drift automatically, except for attributes that a rule leaves to others", async () => {
      const rule = "address=aws_vpc.*,path=enable_dns_support,owner=resolver";
      await platform.createNetwork("net", "--infra-drift", "correct", "--infra-ignore", rule, "--wait");
      await platform.change("aws_vpc", { enable_dns_hostnames: false, enable_dns_support: false });
      await waitUntil("the drift is corrected", async () => (await isDnsOn()) === true);
      await awaitDrift("CORRECTED");
      expect((await platform.list("aws_vpc"))[0]?.attributes["enable_dns_support"]).toBe(false);
      expect(await platform.cloud("drift", "get", "network/net")).toContain(
        '  ~ aws_vpc.this["network"]: enable_dns_hostnames\n',
      );
      const operation = await operationOf("net");
      expect((await platform.calls.get(`/v1/projects/default/operations/${operation}`)).spec).toMatchObject({ verb: "correct" });
    });
  });

  test("M069 M074 a network keeps its configuration version until it is upgraded, and the upgrade can be previewed", async () => {
    await platform.restart({ CLOUDWRIGHT_AGENT_PLUGINS: await writeNewerVersion(platform) });
    await platform.createNetwork("net", "--infra-version", "v0.1.0", "--wait");
    await platform.cloud("network", "update", "net", "--infra-version", "v1.0.0", "--infra-approval", "always");
    const { uid } = await platform.awaitRun("net", "NEEDS_APPROVAL");
    const preview = await platform.cloud("run", "plan", "network/net");
    expect(preview).toContain('aws_vpc_endpoint.s3["network"]');
    expect(preview).toMatch(/Plan: 5 to add, \d+ to change, 0 to destroy\./);
    expect(await platform.list("aws_vpc_endpoint")).toEqual([]);
    await platform.cloud("run", "approve", uid, "--yes", "--wait");
    expect(await platform.list("aws_vpc_endpoint")).toHaveLength(1);
    await platform.cloud("network", "update", "net", "--infra-approval", "risky", "--wait");
    await addZone("net", "--wait");
    const arePublic = async (): Promise<unknown[]> =>
      (await platform.list("aws_subnet"))
        .filter(({ attributes }) => JSON.stringify(attributes["tags"]).includes('"public/'))
        .map(({ attributes }) => attributes["map_public_ip_on_launch"]);
    expect(await arePublic()).toEqual([true, true]);
    await platform.cloud("network", "update", "net", "--infra-version", "v1.2.0", "--infra-approval", "always");
    await platform.awaitRun("net", "NEEDS_APPROVAL");
    expect(await platform.cloud("run", "plan", "network/net")).toContain("map_public_ip_on_launch = true -> false");
    expect(await arePublic()).toEqual([true, true]);
    await platform.cloud("run", "approve", "network/net", "--yes", "--wait");
    expect(await arePublic()).toEqual([false, false]);
    const back = await platform.attempt("admin", "network", "update", "net", "--infra-version", "v1.0.0", "--wait");
    expect(back).toMatchObject({
      code: 2,
      err: expect.stringContaining("there is no upgrade path from v1.2.0 to an older one") as string,
    });
  });
});

/** Writes a plug-in with a newer network configuration in which public subnets assign no public addresses. Returns its path. */
async function writeNewerVersion(platform: Platform): Promise<string> {
  const own = fileURLToPath(new URL("../../infra/network/aws/v1.0.0", import.meta.url));
  const next = join(platform.server.home, "newer/network/aws/v1.2.0");
  await cp(own, next, { recursive: true });
  const main = await readFile(join(next, "main.tf"), "utf8");
  await writeFile(join(next, "main.tf"), main.replace(/(map_public_ip_on_launch += )true/, "$1false"));
  const stack = JSON.parse(await readFile(join(next, "stack.json"), "utf8")) as object;
  await writeFile(join(next, "stack.json"), JSON.stringify({ ...stack, upgradesFrom: ["v1.0.0"] }));
  return platform.write(
    "newer.mjs",
    `export default { configurations: [${JSON.stringify(join(platform.server.home, "newer"))}] };`,
  );
}

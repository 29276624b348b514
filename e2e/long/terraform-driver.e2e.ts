import { Secret } from "@cloudwright/platform";
import { changeRecord, type CloudRecord } from "@cloudwright/simulator";
import {
  dropIgnoredChanges,
  getValue,
  pickOutputs,
  readRunLog,
  renderIgnoreRules,
  type TerraformEvent,
  type TerraformPlan,
} from "@cloudwright/terraform";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { createTestCloud, findEngines, type TestCloud } from "../terraform-stack.ts";

const stack = (cidr = "10.0.0.0/16", label = "blue", size = 3) => `
variable "password" {
  type      = string
  sensitive = true
}
resource "sim_network" "main" {
  name   = "main"
  cidr   = "${cidr}"
  labels = { colour = "${label}", owner = "us" }
}
resource "sim_cluster" "main" {
  name       = "main"
  release    = "1.33"
  subnet_ids = []
  password   = var.password
  pool {
    name = "a"
    size = ${size}
  }
}
output "endpoint" { value = sim_cluster.main.endpoint }
`;
const secretVariables = { password: new Secret("canary-qx4711zq-canary") };
const actionsOf = (plan: TerraformPlan) => Object.fromEntries(plan.changes.map(({ address, action }) => [address, action]));

async function findOne(cloud: TestCloud, type: string): Promise<CloudRecord> {
  const [record] = await cloud.inventory.list("a", type);
  if (record === undefined) throw new Error(`the cloud has no ${type}`);
  return record;
}

const engines = findEngines();
describe.skipIf(engines.length === 0).each(engines)("$name", ({ binary }) => {
  test("M060 M061 M070 a stack is created, unchanged, updated, replaced, corrected, imported and destroyed", async () => {
    const cloud = await createTestCloud("resident");
    const first = cloud.open(binary, stack(), { secretVariables });
    const { directory } = first;
    const open = (...how: Parameters<typeof stack>) => cloud.open(binary, stack(...how), { secretVariables, directory });
    getValue(await first.init());
    expect(await first.readLockFile()).toBeUndefined();
    const run = async (terraform = first) => {
      const { id } = getValue(await terraform.plan());
      const plan = getValue(await terraform.showPlan(id));
      getValue(await terraform.apply(id));
      return plan;
    };
    expect(actionsOf(await run())).toEqual({ "sim_cluster.main": "create", "sim_network.main": "create" });
    expect(getValue(await first.plan())).toMatchObject({ hasChanges: false });
    const read = pickOutputs(getValue(await first.output()), { endpoint: "text" });
    expect(read).toEqual({ values: { endpoint: expect.stringMatching(/^https:/) }, problems: [] });
    const network = await findOne(cloud, "sim_network");

    expect(actionsOf(await run(open("10.0.0.0/16", "green", 4)))).toEqual({
      "sim_cluster.main": "update",
      "sim_network.main": "update",
    });
    const replaced = await run(open("10.1.0.0/16", "green", 4));
    expect(replaced.changes.find(({ address }) => address === "sim_network.main")).toMatchObject({
      action: "replace",
      replacePaths: [["cidr"]],
    });
    const made = await findOne(cloud, "sim_network");
    expect(made.id).not.toBe(network.id);

    await changeRecord(cloud.inventory, "a", made, { labels: { colour: "red", owner: "us" } });
    const terraform = open("10.1.0.0/16", "green", 4);
    const corrected = await run(terraform);
    expect(corrected.drift).toMatchObject([
      {
        address: "sim_network.main",
        action: "update",
        changedPaths: [{ path: ["labels", "colour"], before: "green", after: "red" }],
      },
    ]);
    expect((await findOne(cloud, "sim_network")).attributes["labels"]).toEqual({ colour: "green", owner: "us" });

    getValue(await terraform.removeFromState(["sim_network.main"]));
    expect(await terraform.import("sim_network.main", "none")).toMatchObject({ outcome: "failed" });
    getValue(await terraform.import("sim_network.main", made.id));
    expect(getValue(await terraform.plan())).toMatchObject({ hasChanges: false });

    getValue(await terraform.apply(getValue(await terraform.plan({ mode: "destroy" })).id));
    expect(await cloud.inventory.list("a")).toEqual([]);
  });

  test("X033 ignored map keys and block fields are neither corrected nor reported, and all others are", async () => {
    const cloud = await createTestCloud("resident");
    const rules = [
      { address: "sim_network.*", path: 'labels["colour"]' },
      { address: "sim_cluster.main", path: "pool[0].size" },
    ];
    const resources = [
      { type: "sim_network", name: "main" },
      { type: "sim_cluster", name: "main" },
    ];
    const terraform = cloud.open(binary, stack(), { secretVariables, overrides: [renderIgnoreRules(rules, resources)] });
    getValue(await terraform.init());
    getValue(await terraform.apply(getValue(await terraform.plan()).id));
    const pool = (size: number) => [{ ...(cluster.attributes["pool"] as [object])[0], size }];
    const cluster = await findOne(cloud, "sim_cluster");
    const network = await findOne(cloud, "sim_network");
    await changeRecord(cloud.inventory, "a", network, { labels: { colour: "red", owner: "us" } });
    await changeRecord(cloud.inventory, "a", cluster, { pool: pool(9) });
    const { id, hasChanges } = getValue(await terraform.plan());
    expect(hasChanges).toBe(false);
    const shown = getValue(await terraform.showPlan(id));
    // Terraform's own report still lists the drift.
    expect(shown.drift.map(({ address }) => address).toSorted()).toEqual(["sim_cluster.main", "sim_network.main"]);
    expect(dropIgnoredChanges(shown.drift, rules)).toEqual([]);

    await changeRecord(cloud.inventory, "a", network, { labels: { colour: "pink", owner: "them" } });
    const next = getValue(await terraform.plan());
    const again = getValue(await terraform.showPlan(next.id));
    const pathsOf = (changes: TerraformPlan["changes"]) =>
      changes.flatMap(({ changedPaths }) => changedPaths.map(({ path }) => path.join(".")));
    expect(pathsOf(dropIgnoredChanges(again.drift, rules))).toEqual(["labels.owner"]);
    expect(pathsOf(again.changes)).toEqual(["labels.owner"]);
    getValue(await terraform.apply(next.id));
    expect((await findOne(cloud, "sim_network")).attributes["labels"]).toEqual({ colour: "pink", owner: "us" });
    expect((await findOne(cloud, "sim_cluster")).attributes["pool"]).toMatchObject([{ size: 9 }]);
  });

  test("M061 M071 later runs reuse the lock file of the first init, and a plan carries it to another directory", async () => {
    const cloud = await createTestCloud("spawned");
    const first = cloud.open(binary, stack(), { secretVariables });
    const { lockFile } = getValue(await first.init());
    expect(lockFile).toContain("acme/sim");
    expect(await first.readLockFile()).toBe(lockFile);
    const { id } = getValue(await first.plan());
    const parcel = await first.packPlan(id);
    await first.close();
    const second = cloud.open(binary, stack(), { secretVariables, lockFile: lockFile as string });
    expect(getValue(await second.init({ frozen: true }))).toMatchObject({ lockFile });
    await second.unpackPlan(id, parcel);
    expect(getValue(await second.apply(id)).summary).toMatchObject({ add: 2 });
    const wrong = (lockFile as string).replaceAll(/"h1:[^"]+"/g, '"h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="');
    const third = cloud.open(binary, stack(), { secretVariables, lockFile: wrong });
    expect(await third.init()).toMatchObject({ outcome: "failed", fault: { code: "terraform.provider_not_installed" } });
  });

  test.each([
    ["resident", { kind: "crash", operation: "create", type: "sim_network" }],
    ["spawned", { kind: "crash", operation: "create", type: "sim_network" }],
    ["resident", { kind: "rubbish", operation: "create", type: "sim_network" }],
    ["resident", { kind: "lost_reply", operation: "create", type: "sim_network" }],
    ["spawned", { kind: "crash", operation: "start", times: 9 }],
    ["spawned", { kind: "rubbish", where: "stdout", operation: "start", times: 9 }],
  ] as const)("M053 a %s provider with %j causes a specific fault, and the next run continues", async (mode, fault) => {
    const cloud = await createTestCloud(mode);
    const terraform = cloud.open(binary, stack(), { secretVariables });
    getValue(await terraform.init());
    if (fault.operation === "start") await cloud.faults.add(fault);
    const planned = await terraform.plan();
    if (fault.operation !== "start") await cloud.faults.add(fault);
    const failed = planned.outcome === "done" ? await terraform.apply(planned.value.id) : planned;
    expect(failed).toMatchObject({ outcome: "failed", fault: { code: "terraform.provider_failed", retry: "backoff" } });
    await cloud.faults.clear();
    // The driver does not recover lost resources. The deployer does: it finds them by tag and imports them.
    const known = getValue(await terraform.listState());
    const lost = (await cloud.inventory.list("a")).filter(({ type }) => !known.includes(`${type}.main`));
    for (const record of lost) await cloud.inventory.delete("a", record);
    getValue(await terraform.apply(getValue(await terraform.plan()).id));
    expect(getValue(await terraform.plan())).toMatchObject({ hasChanges: false });
    expect(await cloud.inventory.list("a")).toHaveLength(2);
  });

  test.each([false, true])(
    "X031 a hanging provider (deaf: %s) is stopped, and the state contains what was created",
    async (deaf) => {
      const cloud = await createTestCloud("resident");
      const stop = new AbortController();
      const onEvent = (event: TerraformEvent): void => {
        if (event.type === "finished" && event.address === "sim_cluster.main") stop.abort(new Error("enough"));
      };
      const graceMs = deaf ? 2000 : 60_000;
      const terraform = cloud.open(binary, stack(), { secretVariables, signal: stop.signal, graceMs, onEvent });
      getValue(await terraform.init());
      const { id } = getValue(await terraform.plan());
      await cloud.faults.add({ kind: "hang", deaf, operation: "create", type: "sim_network" });
      expect(await terraform.apply(id)).toMatchObject({
        outcome: "cancelled",
        fault: { code: "terraform.cancelled" },
        report: { signal: deaf ? "SIGKILL" : null },
      });
      await cloud.faults.clear();
      const next = cloud.open(binary, stack(), { secretVariables, directory: terraform.directory });
      expect(getValue(await next.listState())).toContain("sim_cluster.main");
      getValue(await next.apply(getValue(await next.plan()).id));
      expect(await cloud.inventory.list("a")).toHaveLength(2);
    },
  );

  test.each(["error", "warning", "stderr"] as const)(
    "M064 M077 a secret that a provider echoes as %s appears nowhere",
    async (where) => {
      const cloud = await createTestCloud("spawned");
      const said: string[] = [];
      const logDirectory = join(cloud.directory, "logs");
      // Also covers configurations that reveal a secret through `nonsensitive`, in a diff and in an output.
      const leaking = stack().replace('owner = "us"', "owner = nonsensitive(var.password)");
      const terraform = cloud.open(binary, `${leaking}output "leak" { value = nonsensitive(var.password) }\n`, {
        secretVariables,
        logDirectory,
        onLine: (line) => void said.push(line),
        onEvent: (event) => void said.push(JSON.stringify(event)),
      });
      getValue(await terraform.init());
      const { id } = getValue(await terraform.plan());
      said.push(JSON.stringify(getValue(await terraform.showPlan(id))));
      await cloud.faults.add({ kind: "echo_secrets", where, operation: "create", type: "sim_cluster" });
      const outcome = await terraform.apply(id);
      expect(outcome.outcome).toBe(where === "error" ? "failed" : "done");
      said.push(JSON.stringify(outcome), outcome.outcome === "done" ? "" : outcome.fault.message);
      said.push(JSON.stringify([await terraform.output(), await terraform.showState()]));
      for (const name of readdirSync(logDirectory)) said.push(await text(readRunLog(join(logDirectory, name))));
      // Terraform does not print a provider's standard error.
      expect(JSON.stringify(outcome.report.diagnostics).includes("[secret]")).toBe(where !== "stderr");
      expect(said.join("\n")).toContain('"owner":"[secret]"');
      expect(said.filter((each) => each.includes("qx4711zq"))).toEqual([]);
      expect(await cloud.faults.list()).toMatchObject([{ seen: 1 }]);
    },
  );
});

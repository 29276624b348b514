import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findCheckDueInMs } from "../engine/spread-checks.ts";
import { done, failed, openTestPlatform, succeed, type TestPlatform } from "../testing/test-platform.ts";

let platform: TestPlatform;
beforeEach(async () => {
  platform = await openTestPlatform();
});
afterEach(() => platform.close());

async function createTree(): Promise<{ account: string; network: string; cluster: string }> {
  const account = await platform.create("Account", "acme");
  const network = await platform.create("Network", "net", { parent: account });
  const cluster = await platform.create("Cluster", "blue", { parent: network, spec: { version: "1.34" } });
  return { account, network, cluster };
}

const phaseOf = async (uid: string): Promise<unknown> => (await platform.get(uid)).status["phase"];
const conditionOf = async (uid: string, type: string): Promise<unknown> =>
  ((await platform.get(uid)).status["conditions"] as { type: string }[]).find((condition) => condition.type === type);

describe("M041 desired state becomes tasks, owners first", () => {
  test("M024 M044 a tree is built from the account down, one task at a time", async () => {
    const { account, network, cluster } = await createTree();
    expect(await platform.run()).toEqual([
      "account.verify",
      "network.preflight",
      "network.plan",
      "network.apply",
      "cluster.preflight",
      "cluster.plan",
      "cluster.apply",
      "cluster.access",
      "cluster.addons",
    ]);
    expect([await phaseOf(account), await phaseOf(network), await phaseOf(cluster)]).toEqual(["RUNNING", "RUNNING", "RUNNING"]);
    expect((await platform.get(cluster)).status).toMatchObject({
      endpoint: "https://cluster.test",
      readyNodes: 3,
      observedGeneration: 1,
    });
    expect((await platform.get(network)).status).toMatchObject({ networkId: "vpc-1", privateSubnetIds: ["subnet-1"] });
    expect((await platform.operation(cluster)).status).toMatchObject({ state: "DONE", progressPercent: 100 });
  });

  test("the task carries its full context", async () => {
    await createTree();
    const given: unknown[] = [];
    await platform.run((task) => {
      if (task.type === "cluster.apply") given.push(task.payload, task.placement);
      return succeed(task);
    });
    expect(given).toEqual([
      expect.objectContaining({
        action: "apply",
        entity: expect.objectContaining({ kind: "Cluster", name: "blue", spec: { version: "1.34" } }),
        account: expect.objectContaining({ name: "acme", cloud: "aws" }),
        parents: [
          expect.objectContaining({ kind: "Network", outputs: { network_id: "vpc-1", private_subnet_ids: ["subnet-1"] } }),
          expect.objectContaining({ kind: "Account" }),
        ],
      }),
      { cloud: "aws", account: "acme", region: "eu-west-1" },
    ]);
  });

  test("X020 further passes and a restart do not request tasks", async () => {
    await createTree();
    await platform.run();
    await platform.wakeAll();
    expect(await platform.run()).toEqual([]);
    const versions = await platform.query("select uid, resource_version from entity order by uid");
    await platform.wakeAll();
    await platform.settle();
    expect(await platform.query("select uid, resource_version from entity order by uid")).toEqual(versions);
  });

  test("the phase stays PENDING until an agent starts, and progress is shown", async () => {
    const account = await platform.create("Account", "acme");
    await platform.settle();
    expect(await phaseOf(account)).toBe("PENDING");
    const [task] = await platform.work(() => undefined);
    await platform.query("select * from renew_tasks(null, array[$1::uuid], array[$2::uuid], array[$3], 60)", [
      task?.uid,
      task?.leaseToken,
      JSON.stringify({ percent: 40, message: "asking the cloud" }),
    ]);
    await platform.settle();
    expect((await platform.get(account)).status).toMatchObject({
      phase: "PROVISIONING",
      message: "asking the cloud",
      progressPercent: 40,
    });
    expect((await platform.operation(account)).status).toMatchObject({ state: "RUNNING", progressPercent: 40 });
  });
});

describe("M048 every change is applied", () => {
  test("two changes in a row and a reverted change are all applied", async () => {
    const { cluster } = await createTree();
    await platform.run();
    for (const version of ["1.34.5", "1.34", "1.34.5"]) {
      await platform.update(cluster, { version });
      expect(await platform.run()).toEqual([
        "cluster.preflight",
        "cluster.plan",
        "cluster.apply",
        "cluster.access",
        "cluster.addons",
      ]);
      expect((await platform.operation(cluster)).status).toMatchObject({ state: "DONE" });
    }
  });

  test("a new generation cancels tasks that have not started, never running ones", async () => {
    const { cluster } = await createTree();
    await platform.run();
    await platform.update(cluster, { version: "1.34.5" });
    for (let tasks = 0; tasks < 2; tasks += 1) {
      await platform.settle();
      await platform.work();
    }
    await platform.settle();
    const [running] = await platform.work(() => undefined);
    expect(running?.type).toBe("cluster.apply");
    const first = (await platform.get(cluster)).metadata.operation ?? "";
    await platform.update(cluster, { version: "1.34.7" });
    await platform.settle();
    expect((await platform.operation(first)).status).toMatchObject({ state: "CANCELLED" });
    expect(await platform.query("select state from task_state where uid = $1", [running?.uid])).toEqual([{ state: "leased" }]);
    expect(await platform.work()).toEqual([]);
    if (running !== undefined) await platform.end(running, done({ version: "1.34.5" }));
    expect(await platform.run()).toEqual([
      "cluster.preflight",
      "cluster.plan",
      "cluster.apply",
      "cluster.access",
      "cluster.addons",
    ]);
    expect(await phaseOf(cluster)).toBe("RUNNING");
  });

  test("clusters are repaired if and only if their network's outputs change", async () => {
    const { network, cluster } = await createTree();
    await platform.run();
    await platform.update(network, { region: "eu-west-1", cidr: "10.1.0.0/16" });
    expect(await platform.run()).toEqual(["network.preflight", "network.plan", "network.apply"]);
    await platform.update(network, { region: "eu-west-1", cidr: "10.2.0.0/16" });
    const types = await platform.run((task) => (task.type === "network.apply" ? done({ network_id: "vpc-2" }) : succeed(task)));
    expect(types).toContain("cluster.apply");
    expect((await platform.operation(cluster)).spec).toMatchObject({ verb: "repair", actor: "platform" });
    expect(await phaseOf(cluster)).toBe("RUNNING");
  });
});

describe("M053 failures", () => {
  test("a failed task fails the operation with its fault, and a retry runs it again", async () => {
    const account = await platform.create("Account", "acme");
    await platform.run(() => failed("access denied by the cloud"));
    expect(await phaseOf(account)).toBe("FAILED");
    expect((await platform.operation(account)).status).toMatchObject({
      state: "FAILED",
      message: "access denied by the cloud",
      code: "test.broken",
    });
    expect(await conditionOf(account, "CredentialsVerified")).toMatchObject({ status: "False", reason: "TaskFailed" });
    await platform.wakeAll();
    expect(await platform.run()).toEqual([]);
    await platform.retry(account);
    expect(await platform.run()).toEqual(["account.verify"]);
    expect(await phaseOf(account)).toBe("RUNNING");
    expect((await platform.operation(account)).status).toMatchObject({ state: "DONE" });
  });

  test("an entity that ran before a failed change is DEGRADED, not FAILED", async () => {
    const { cluster } = await createTree();
    await platform.run();
    await platform.update(cluster, { version: "1.34.5" });
    await platform.run((task) => (task.type === "cluster.apply" ? failed("no such version") : succeed(task)));
    expect(await phaseOf(cluster)).toBe("DEGRADED");
  });

  test("a policy that denies stops the operation before anything is built", async () => {
    platform.rules.findDenials = ({ entity }) => (entity.kind === "Account" ? ["accounts must be simulated"] : []);
    const account = await platform.create("Account", "acme");
    expect(await platform.run()).toEqual([]);
    expect(await phaseOf(account)).toBe("FAILED");
    expect(await conditionOf(account, "PolicyAllowed")).toMatchObject({ status: "False", message: "accounts must be simulated" });
  });

  test("M043 a task that no agent can run says what is missing", async () => {
    platform.agents = [
      { serves: undefined, labels: { cloud: "gcp", account: "*" }, types: "*", payloadVersions: { min: 1, max: 1 } },
    ];
    const account = await platform.create("Account", "acme");
    await platform.settle();
    await platform.query("update task set created_at = now() - interval '1 minute'");
    await platform.wakeAll();
    await platform.settle();
    expect(await conditionOf(account, "Placeable")).toMatchObject({
      status: "False",
      message: expect.stringContaining("cloud=aws"),
    });
    await platform.run();
    expect(await conditionOf(account, "Placeable")).toMatchObject({ status: "True" });
  });
});

describe("M052 an operation can be cancelled", () => {
  test("waiting tasks are cancelled, running tasks are told to stop, and the operation can be retried", async () => {
    const account = await platform.create("Account", "acme");
    await platform.settle();
    const [running] = await platform.work(() => undefined);
    await platform.cancel(account);
    await platform.settle();
    expect((await platform.operation(account)).status).toMatchObject({ state: "RUNNING" });
    if (running !== undefined) await platform.end(running, { state: "cancelled", message: "stopped" });
    await platform.settle();
    expect((await platform.operation(account)).status).toMatchObject({ state: "CANCELLED" });
    expect(await phaseOf(account)).toBe("FAILED");
    await platform.retry(account);
    expect(await platform.run()).toEqual(["account.verify"]);
    expect(await phaseOf(account)).toBe("RUNNING");
  });
});

describe("M024 deletion", () => {
  test("M055 deletes children first and waits for each", async () => {
    const { account, network, cluster } = await createTree();
    await platform.run();
    await platform.remove(account);
    const gone: string[] = [];
    const types = await platform.run((task) => {
      gone.push(task.entityName);
      return done();
    });
    expect(types).toEqual(["cluster.destroy", "network.destroy"]);
    expect(gone).toEqual(["blue", "net"]);
    expect([await platform.find(account), await platform.find(network), await platform.find(cluster)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(await platform.query("select from due")).toEqual([]);
    const states = await platform.query("select object -> 'status' ->> 'state' as state from entity where kind = 'Operation'");
    expect(new Set(states.map((row) => (row as { state: string }).state))).toEqual(new Set(["DONE"]));
  });

  test("removes an entity without infrastructure immediately, together with its waiting tasks", async () => {
    const { account, cluster } = await createTree();
    await platform.settle();
    await platform.remove(account);
    expect(await platform.run()).toEqual([]);
    expect(await platform.find(cluster)).toBeUndefined();
    expect(await platform.query("select uid from task where ended is null")).toEqual([]);
  });

  test("X011 keeps retained infrastructure", async () => {
    const account = await platform.create("Account", "acme");
    const network = await platform.create("Network", "net", { parent: account, metadata: { deletionPolicy: "retain" } });
    await platform.run();
    await platform.remove(network);
    expect(await platform.run()).toEqual([]);
    expect(await platform.find(network)).toBeUndefined();
  });

  test("X010 reports leftovers if it fails; forcing it is recorded", async () => {
    const { network, cluster } = await createTree();
    await platform.run();
    await platform.remove(cluster);
    await platform.run(() => failed("2 load balancers are left", ["lb lb-1: in use", "lb lb-2: in use"]));
    expect(await phaseOf(cluster)).toBe("FAILED");
    expect((await platform.operation(cluster)).status).toMatchObject({
      state: "FAILED",
      left: ["lb lb-1: in use", "lb lb-2: in use"],
    });
    await platform.remove(cluster, { force: true });
    const forced = (await platform.get(cluster)).metadata.operation ?? "";
    expect(await platform.run()).toEqual([]);
    expect(await platform.find(cluster)).toBeUndefined();
    expect((await platform.operation(forced)).status).toMatchObject({
      state: "DONE",
      abandoned: ["lb lb-1: in use", "lb lb-2: in use"],
    });
    expect(await phaseOf(network)).toBe("RUNNING");
  });

  test("X010 a cascade fails with its children and continues automatically once they are gone", async () => {
    const { account, network, cluster } = await createTree();
    await platform.run();
    await platform.remove(account);
    await platform.run(() => failed("in use", ["lb-1: in use"]));
    expect((await platform.operation(network)).status).toMatchObject({ state: "FAILED", code: "reconciler.children_failed" });
    expect((await platform.operation(account)).status).toMatchObject({
      state: "FAILED",
      left: [expect.stringContaining('Network "net"')],
    });
    await platform.retry(cluster);
    expect(await platform.run()).toEqual(["cluster.destroy", "network.destroy"]);
    expect(await platform.find(account)).toBeUndefined();
  });

  test("waits for running tasks", async () => {
    const { network } = await createTree();
    await platform.run((task) => (task.type === "network.apply" ? undefined : succeed(task)));
    await platform.remove(network);
    await platform.settle();
    expect(await platform.work()).toEqual([]);
    expect(await phaseOf(network)).toBe("DELETING");
  });

  test("X034 names the running task that it waits for, and how to stop that task", async () => {
    const { network } = await createTree();
    await platform.run((task) => (task.type === "network.apply" ? undefined : succeed(task)));
    await platform.remove(network);
    await platform.settle();
    const { metadata, status } = await platform.operation(network);
    expect(status["message"]).toMatch(/network\.apply/);
    expect(status["message"]).toContain(`cloud operation cancel ${metadata.name}`);
    expect((await platform.get(network)).status["message"]).toBe(status["message"]);
    await platform.wakeAll();
    await platform.settle();
    expect((await platform.operation(network)).status["message"]).toBe(status["message"]);
  });
});

describe("X012 a pause", () => {
  test("cancels waiting tasks and starts nothing until it is resumed", async () => {
    const account = await platform.create("Account", "acme");
    await platform.settle();
    await platform.pause(account, true);
    expect(await platform.run()).toEqual([]);
    expect(await conditionOf(account, "Ready")).toMatchObject({ status: "False", reason: "Paused" });
    await platform.pause(account, false);
    expect(await platform.run()).toEqual(["account.verify"]);
    expect(await conditionOf(account, "Ready")).toMatchObject({ status: "True" });
  });

  test("of a project or the platform applies to every entity in it", async () => {
    for (const name of ["default", "system"]) {
      const [row] = await platform.query<{ uid: string }>("select uid from entity where kind = 'Project' and name = $1", [name]);
      await platform.pause(row?.uid ?? "", true);
      const account = await platform.create("Account", `acme-${name}`);
      expect(await platform.run()).toEqual([]);
      await platform.pause(row?.uid ?? "", false);
      await platform.wakeAll();
      expect(await platform.run()).toEqual(["account.verify"]);
      expect(await phaseOf(account)).toBe("RUNNING");
    }
  });

  test("leaves no trace in the status of a running entity when it ends", async () => {
    const account = await platform.create("Account", "acme");
    await platform.run();
    await platform.pause(account, true);
    await platform.settle();
    await platform.pause(account, false);
    await platform.settle();
    expect(await conditionOf(account, "Ready")).toMatchObject({ status: "True" });
    expect((await platform.get(account)).status["message"]).toBe("");
  });
});

describe("M042 drift is checked at regular intervals", () => {
  test("and reported once, as a condition and an event", async () => {
    const account = await platform.create("Account", "acme");
    const network = await platform.create("Network", "net", { parent: account });
    platform.rules.driftMs = { Network: chooseInterval(network) };
    expect(await platform.run()).not.toContain("network.check");
    const later = async (): Promise<void> => {
      await platform.query("update task set ended_at = ended_at - interval '2 hours'");
      await platform.wakeAll();
    };
    await later();
    expect(await platform.run(() => done({ drifted: true, summary: "1 subnet was changed" }))).toEqual(["network.check"]);
    expect(await conditionOf(network, "Drifted")).toMatchObject({ status: "True", message: "1 subnet was changed" });
    await platform.wakeAll();
    expect(await platform.run()).toEqual([]);
    await later();
    expect(await platform.run(() => done({ drifted: false }))).toEqual(["network.check"]);
    expect(await conditionOf(network, "Drifted")).toMatchObject({ status: "False" });
    expect(await platform.query("select from event where reason = 'Drifted'")).toHaveLength(1);
  });
});

/** Returns a drift check interval whose next slot is between 100 and 300 seconds away, so that the test does not depend on when it runs. */
function chooseInterval(entityUid: string): number {
  const nowMs = Date.now();
  const intervals = Array.from({ length: 100 }, (_, index) => 400_000 + index * 2000);
  const found = intervals.find((intervalMs) => {
    const dueInMs = findCheckDueInMs(entityUid, { intervalMs, lastMs: nowMs, nowMs });
    return dueInMs > 100_000 && dueInMs < 300_000;
  });
  if (found === undefined) throw new Error("every interval has a slot near now");
  return found;
}

import type { CloudPart } from "@cloudwright/clouds";
import { createUid, listOf, objectOf, systemClock, textOf } from "@cloudwright/platform";
import { createRandom, printSeed } from "@cloudwright/platform/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createDeployer } from "../../create-deployer.ts";
import { createKillSwitch } from "../../executor/testing/in-process-subject.ts";
import type { JsonObject } from "../../task.ts";
import { startTestEndpoint } from "../../testing/test-endpoint.ts";
import { createTestTask, type TestTaskOptions } from "../../testing/test-task.ts";
import { startSimulatedAccount, tenant, type SimulatedAccountApi } from "../testing/simulated-account.ts";
import { directGcp } from "../testing/simulated-gcp.ts";

const machine = "projects/simulated/zones/us-central1-a/instances/vm";
const instance = {
  field: "instance",
  kind: "Instance",
  uid: "0199aaaa-0000-7000-8000-0000000000aa",
  name: "vm",
  spec: {},
  outputs: { instance_id: machine },
};
const detached = { sizeGib: 10, region: "us-central1" };
const ssh = { protocol: "tcp", fromPort: 22, cidr: "10.0.0.0/8" };
const dns = { direction: "egress", protocol: "udp", fromPort: 53, cidr: "10.0.0.2/32" };

/** Specs of one entity in the order in which it gets them, and the resources that each of them consists of. */
const stories = {
  volume: [
    [{ ...detached, instance: "vm" }, ["google_compute_attached_disk", "google_compute_disk"]],
    [{ ...detached, sizeGib: 20 }, ["google_compute_disk"]],
    [{ ...detached, sizeGib: 20, instance: "vm" }, ["google_compute_attached_disk", "google_compute_disk"]],
  ],
  securitygroup: [
    [{ rules: [ssh, dns] }, Array.from({ length: 4 }, () => "google_compute_firewall")],
    [{ rules: [{ ...ssh, fromPort: 443 }] }, Array.from({ length: 2 }, () => "google_compute_firewall")],
  ],
} as const satisfies Record<string, readonly (readonly [JsonObject, readonly string[]])[]>;

const never = (): never => {
  throw new Error("the direct executor starts no program");
};

let account: SimulatedAccountApi;
beforeEach(async () => {
  account = await startSimulatedAccount(directGcp);
  const attributes = {
    name: "vm",
    project: "simulated",
    zone: "us-central1-a",
    machine_type: "e2-small",
    current_status: "RUNNING",
    tags: [],
  };
  await account.inventory.put(tenant, { type: "google_compute_instance", id: machine, attributes });
});
afterEach(() => account.close());

/** Lists the types of the entity's resources in the cloud. Attachments are part of the instance's record. */
async function listTypes(entityUid: string): Promise<string[]> {
  const own = (await account.listOwned(entityUid)).map(({ type }) => type);
  const [host] = await account.inventory.list(tenant, "google_compute_instance");
  const attached = listOf(host?.attributes["attached_disk"]).map((disk) => textOf(objectOf(disk)["device_name"]));
  return [...own, ...attached.filter((name) => name === `cw-${entityUid}`).map(() => "google_compute_attached_disk")].toSorted();
}

describe.each(Object.keys(stories) as (keyof typeof stories)[])("X030 X031 a %s in Google Cloud", (service) => {
  test("is built, changed and deleted without duplicates and leftovers, although the agent is killed", async () => {
    const [endpoint, kill] = [await startTestEndpoint(), createKillSwitch()];
    endpoint.intercept((method, moment, path) => (method === "GET" && !path.includes("/plans/")) || kill.isAllowed(moment));
    const guard = async <Result>(call: () => Promise<Result>): Promise<Result> => {
      kill.check("before");
      const result = await call();
      kill.check("after");
      return result;
    };
    const wrap = (part: CloudPart): CloudPart => ({
      ...part,
      create: (...given) => guard(() => part.create(...given)),
      update: (...given) => guard(() => part.update(...given)),
      delete: (...given) => guard(() => part.delete(...given)),
    });
    const deployer = createDeployer({ binaries: { get: never }, openCloud: () => account.openCloud(wrap) });
    // Each run of the suite tries every third write, from a random one.
    const random = createRandom(printSeed(`kills of a ${service} in Google Cloud`)).next;
    for (let write = 1 + Math.floor(random() * 3), kills = 1; kills > 0; write += 3) {
      kills = 0;
      for (const moment of ["before", "after"] as const) {
        const entityUid = createUid(systemClock.now());
        const handle = async (action: string, given: TestTaskOptions): Promise<JsonObject> => {
          const options = { entityUid, name: "data", account: { cloud: "gcp" }, parents: [account.network], ...given };
          const references = service === "volume" ? [instance] : [];
          const task = createTestTask(`${service}.${action}`, {
            ...options,
            references,
            openState: async () => endpoint.access(entityUid),
          });
          const outcome = await deployer.handle(task);
          if (outcome.outcome !== "done") throw new Error(`${action} ended ${outcome.outcome}: ${JSON.stringify(outcome)}`);
          return outcome.outputs ?? {};
        };
        const build = async (spec: JsonObject, resumed: boolean): Promise<unknown> =>
          handle("apply", { spec, plan: textOf((await handle("plan", { spec, resumed }))["plan"]) });
        const runAndKill = async (work: (resumed: boolean) => Promise<unknown>): Promise<void> => {
          const stop = kill.arm({ write, moment });
          try {
            await work(false);
            if (!stop()) return;
          } catch (error) {
            if (!stop()) throw error;
          }
          kills += 1;
          await work(true);
        };
        for (const [spec, types] of stories[service]) {
          await runAndKill((resumed) => build(spec, resumed));
          expect([write, moment, await listTypes(entityUid)]).toEqual([write, moment, types]);
        }
        const spec = stories[service].at(-1)?.[0] ?? {};
        await runAndKill((resumed) => handle("destroy", { spec, resumed }));
        expect([write, moment, await listTypes(entityUid)]).toEqual([write, moment, []]);
      }
    }
    await endpoint.close();
  }, 300_000);
});

import type { EntityJson } from "@cloudwright/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAdminCalls, type AdminCalls } from "../admin-calls.ts";
import { addKinds } from "../new-kind/add-kinds.ts";
import { copyRepository, type RepositoryCopy } from "../new-kind/repository-copy.ts";
import { startServer, type RunningServer } from "../server.ts";
import { waitUntil } from "../wait-until.ts";

const project = "/v1/projects/default";

/** The README lists the steps for adding a kind. This test adds two kinds to a copy of the repository without changing generic code. */
describe("M025 a new kind needs only a proto file, a file that declares it and a line in each list", () => {
  let copy: RepositoryCopy;
  let server: RunningServer;
  let calls: AdminCalls;
  beforeAll(async () => {
    copy = await copyRepository();
    await addKinds(copy);
    server = await startServer({ root: copy.root, environment: { CLOUDWRIGHT_DEMO_HANDLERS: "1" } });
    calls = createAdminCalls(server);
  });
  afterAll(async () => {
    await server?.stop();
    await copy?.remove();
  });

  const phaseOf = async (path: string): Promise<unknown> => (await calls.get(`${project}/${path}`)).status["phase"];
  const isGone = async (path: string): Promise<boolean> => (await calls.send("GET", `${project}/${path}`)).status === 404;
  const tasksOf = async (type: string): Promise<EntityJson[]> =>
    (await calls.list(`${project}/tasks?pageSize=1000`)).filter(({ spec }) => spec["type"] === type);
  const endOf = (task: EntityJson | undefined): number => Date.parse(task?.status["endedAt"] as string);
  const startOf = (task: EntityJson | undefined): number => Date.parse(task?.status["startedAt"] as string);

  test("a machine is built after its network and all its firewalls", async () => {
    await calls.create(`${project}/accounts`, { metadata: { name: "sandbox" }, spec: { simulated: true, aws: {} } });
    await calls.create(`${project}/networks`, { metadata: { name: "main" }, spec: { account: "sandbox", region: "eu-west-1" } });
    for (const name of ["web", "ssh"])
      await calls.create(`${project}/firewalls`, { metadata: { name }, spec: { network: "main" } });
    const group = await calls.get(`${project}/firewalls/ssh`);
    const spec = { network: "main", firewalls: ["web", group.metadata.uid ?? ""] };
    const made = await calls.create(`${project}/machines`, { metadata: { name: "vm" }, spec });
    expect(made.spec["firewalls"]).toEqual(["web", "ssh"]);
    expect(made.metadata.parent).toBe("main");
    await waitUntil("the machine runs", async () => (await phaseOf("machines/vm")) === "RUNNING", 120_000);
    const [built] = await tasksOf("machine.apply");
    const groups = await tasksOf("firewall.apply");
    expect(groups).toHaveLength(2);
    for (const task of [...groups, ...(await tasksOf("network.apply"))]) expect(endOf(task)).toBeLessThanOrEqual(startOf(built));
    expect(await calls.list(`${project}/machines`)).toHaveLength(1);
  });

  test("names that do not exist are rejected with their field", async () => {
    const entity = { metadata: { name: "other" }, spec: { network: "main", firewalls: ["web", "nobody"] } };
    const response = await calls.send("POST", `${project}/machines`, entity);
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining("spec.firewalls")]);
  });

  test("a firewall that a machine references cannot be deleted, until the machine no longer references it", async () => {
    const refused = await calls.send("DELETE", `${project}/firewalls/web`);
    expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining('Machine \\"vm\\"')]);
    const changed = await calls.send("PATCH", `${project}/machines/vm`, { spec: { firewalls: ["ssh"] } });
    expect(changed.status).toBe(202);
    expect((await calls.send("DELETE", `${project}/firewalls/web`)).status).toBe(202);
    await waitUntil("the group is gone", () => isGone("firewalls/web"), 120_000);
  });

  test("deleting the network deletes the machine before its firewalls", async () => {
    expect((await calls.send("DELETE", `${project}/networks/main`)).status).toBe(409);
    expect((await calls.send("DELETE", `${project}/networks/main?cascade=true`)).status).toBe(202);
    await waitUntil("the network is gone", () => isGone("networks/main"), 120_000);
    const [machine] = await tasksOf("machine.destroy");
    const groups = await tasksOf("firewall.destroy");
    expect(groups).toHaveLength(2);
    const last = groups.toSorted((a, b) => startOf(a) - startOf(b)).at(-1);
    expect(endOf(machine)).toBeLessThanOrEqual(startOf(last));
    expect([await isGone("machines/vm"), await isGone("firewalls/ssh")]).toEqual([true, true]);
  });
});

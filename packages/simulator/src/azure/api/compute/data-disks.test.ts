import { objectOf, textOf } from "@cloudwright/platform";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createMachine, location, openAzure, type AzureUnderTest, type Reply, type SendRequest } from "../testing/open-azure.ts";

let azure: AzureUnderTest;
let send: SendRequest;
beforeEach(async () => {
  azure = await openAzure();
  send = await azure.connect("a");
});
afterEach(() => azure.close());

const waitMs = 120_000;
const disks = "~/providers/Microsoft.Compute/disks";

async function createDisk(name: string, more: Readonly<Record<string, unknown>> = { zones: ["1"] }): Promise<string> {
  const properties = { creationData: { createOption: "Empty" }, diskSizeGB: 10 };
  const { body } = await send("PUT", `${disks}/${name}`, {
    body: { location, sku: { name: "Premium_LRS" }, properties, ...more },
  });
  azure.advance(waitMs);
  return textOf(body["id"]);
}

async function openMachine(name: string): Promise<string> {
  const machine = await createMachine(send, name);
  azure.advance(waitMs);
  return machine;
}

const attach = (machine: string, diskId: string, lun?: number): Promise<Reply> =>
  send("POST", `${machine}/attachDetachDataDisks`, {
    body: { dataDisksToAttach: [{ diskId, ...(lun === undefined ? {} : { lun }) }] },
  });
const detach = (machine: string, diskId: string): Promise<Reply> =>
  send("POST", `${machine}/attachDetachDataDisks`, { body: { dataDisksToDetach: [{ diskId }] } });
const listLuns = async (machine: string): Promise<unknown> => {
  const storage = objectOf(objectOf((await send("GET", machine)).body["properties"])["storageProfile"]);
  return (storage["dataDisks"] as unknown as { lun: number; name: string }[]).map(({ lun, name }) => [lun, name]);
};
const read = async (name: string): Promise<readonly [owner: string, state: unknown]> => {
  const { body } = await send("GET", `${disks}/${name}`);
  return [textOf(body["managedBy"]).split("/").at(-1) ?? "", objectOf(body["properties"])["diskState"]];
};

test("M148 disks are attached under numbers and detached, and they survive their machine", async () => {
  const machine = await openMachine("one");
  const [a, b] = [await createDisk("a"), await createDisk("b")];
  const accepted = await attach(machine, a, 4);
  expect([accepted.status, accepted.headers.get("azure-asyncoperation")]).toEqual([202, expect.stringContaining("/operations/")]);
  expect((await attach(machine, b)).code).toBe("OperationNotAllowed");
  azure.advance(waitMs);
  expect((await attach(machine, b)).status).toBe(202);
  azure.advance(waitMs);
  expect(await listLuns(machine)).toEqual([
    [4, "a"],
    [0, "b"],
  ]);
  expect(await read("a")).toEqual(["one", "Attached"]);
  await send("POST", `${machine}/deallocate`);
  azure.advance(waitMs);
  expect(await read("a")).toEqual(["one", "Reserved"]);
  expect((await detach(machine, a)).status).toBe(202);
  azure.advance(waitMs);
  expect(await read("a")).toEqual(["", "Unattached"]);
  await send("DELETE", machine);
  azure.advance(waitMs);
  expect(await read("b")).toEqual(["", "Unattached"]);
});

test("M148 what Azure does not attach is refused with its code", async () => {
  const [one, two] = [await openMachine("one"), await openMachine("two")];
  const [a, far, plain] = [await createDisk("a"), await createDisk("far", { zones: ["2"] }), await createDisk("plain", {})];
  await attach(one, a, 1);
  azure.advance(waitMs);
  expect((await attach(two, a)).code).toBe("ConflictingUserInput");
  expect((await attach(one, await createDisk("b"), 1)).code).toBe("InvalidParameter");
  for (const id of [far, plain]) expect((await attach(one, id)).code).toBe("BadRequest");
  expect((await attach(one, `${a}x`)).status).toBe(404);
  expect((await send("POST", `${one}/attachDetachDataDisks`, { body: {} })).code).toBe("InvalidParameter");
  expect((await send("DELETE", `${disks}/a`)).code).toBe("OperationNotAllowed");
  await detach(one, a);
  expect((await attach(two, a)).code).toBe("AttachDiskWhileBeingDetached");
  azure.advance(waitMs);
  expect((await attach(two, a)).status).toBe(202);
});

test("M148 a disk of a running machine neither grows beyond 4 TiB nor changes its type", async () => {
  const machine = await openMachine("one");
  await attach(machine, await createDisk("a"));
  azure.advance(waitMs);
  const change = async (body: object): Promise<string> => {
    const reply = await send("PATCH", `${disks}/a`, { body });
    azure.advance(waitMs);
    return reply.code;
  };
  expect(await change({ properties: { diskSizeGB: 4096 } })).toBe("");
  expect(await change({ properties: { diskSizeGB: 4097 } })).toBe("OperationNotAllowed");
  expect(await change({ sku: { name: "StandardSSD_LRS" } })).toBe("OperationNotAllowed");
  await send("POST", `${machine}/deallocate`);
  azure.advance(waitMs);
  expect(await change({ properties: { diskSizeGB: 4097 } })).toBe("");
});

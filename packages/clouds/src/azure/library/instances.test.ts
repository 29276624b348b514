import { requireTool } from "@cloudwright/platform";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { CloudLibrary } from "../../library/library.ts";
import { refuse, type FakeAnswer, type SeenRequest } from "../testing/fake-azure.ts";
import { groupId, machineId, startFakeLibrary, subnetId, type FakeLibrary } from "../testing/fake-library.ts";

const openssl = requireTool("openssl");
const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA me@here";
const request = {
  name: "vm",
  image: "ubuntu-24.04",
  type: "Standard_B1s",
  subnet: subnetId,
  sshKeys: [key],
  publicAddress: true,
};
const capacity = { code: "AllocationFailed", message: "no capacity in the zone" };

describe.skipIf(!openssl.found)(`Azure VMs through the library${openssl.found ? "" : `: ${openssl.reason}`}`, () => {
  let library: FakeLibrary;
  let azure: CloudLibrary;
  const types = ["Compute/virtualMachines", "Compute/disks", "Network/networkInterfaces", "Network/publicIPAddresses"];
  const listAll = (): string[] => types.flatMap((type) => library.cloud().list(`Microsoft.${type}`));
  const bodyOf = (path: RegExp): unknown =>
    JSON.parse(library.fake.seen.findLast((each) => each.method === "PUT" && path.test(each.path))?.body ?? "{}");
  /** Responds like the cloud, unless `change` returns a different response. `change` runs after the cloud has changed its state. */
  const alter = (change: (asked: SeenRequest, answered: FakeAnswer | undefined) => FakeAnswer | undefined): void => {
    const { answer } = library.cloud();
    library.fake.answer((asked) => {
      const answered = answer(asked);
      return change(asked, answered) ?? answered;
    });
  };
  beforeAll(async () => {
    library = await startFakeLibrary(openssl.found ? openssl.path : "");
    ({ azure } = library);
  });
  beforeEach(() => library.reset());
  afterAll(() => library.close());

  test("M145 creates a machine with its own interface, address and disk, and removes all of them", async () => {
    const made = await azure.instances.create(
      {
        ...request,
        region: "West Europe",
        zone: "westeurope-2",
        user: "me",
        userData: "#cloud-config\n",
        rootDisk: { sizeGiB: 64, kmsKey: "/des" },
        securityGroups: ["web"],
        tags: { team: "a" },
      },
      { wait: "ready" },
    );
    expect(made).toMatchObject({
      id: machineId("vm"),
      name: "vm",
      status: "running",
      nativeStatus: "PowerState/running",
      region: "westeurope",
      zone: "westeurope-2",
      type: "Standard_B1s",
      image: "Canonical:ubuntu-24_04-lts:server:latest",
      privateAddress: "10.0.0.4",
      publicAddress: "20.1.2.3",
      user: "me",
    });
    expect(listAll()).toHaveLength(4);
    expect(bodyOf(/virtualMachines\/vm$/)).toMatchObject({
      zones: ["2"],
      properties: {
        storageProfile: {
          osDisk: { diskSizeGB: 64, deleteOption: "Delete", managedDisk: { diskEncryptionSet: { id: "/des" } } },
        },
        osProfile: {
          adminUsername: "me",
          customData: Buffer.from("#cloud-config\n").toString("base64"),
          linuxConfiguration: {
            disablePasswordAuthentication: true,
            ssh: { publicKeys: [{ path: expect.stringMatching(/\/me\/\.ssh\/authorized_keys$/), keyData: key }] },
          },
        },
        networkProfile: { networkInterfaces: [{ properties: { deleteOption: "Delete" } }] },
      },
    });
    expect(bodyOf(/networkInterfaces/)).toMatchObject({
      tags: { team: "a", "cloudwright:instance": "vm" },
      properties: {
        networkSecurityGroup: { id: `${groupId}/providers/Microsoft.Network/networkSecurityGroups/web` },
        ipConfigurations: [
          { properties: { subnet: { id: subnetId }, publicIPAddress: { properties: { deleteOption: "Delete" } } } },
        ],
      },
    });
    expect(await azure.instances.get(machineId("VM").toUpperCase())).toMatchObject({ publicAddress: "20.1.2.3" });
    expect(await azure.instances.list({ tags: { team: "a" } })).toMatchObject([
      { name: "vm", publicAddress: "20.1.2.3", status: "running" },
    ]);
    expect(await azure.instances.list({ region: "eastus" })).toEqual([]);
    await azure.instances.terminate("vm");
    expect(listAll()).toEqual([]);
  });

  test("M145 a machine without a public address gets none, and names of a network and subnet are enough", async () => {
    const { subnet: _subnet, publicAddress: _public, ...rest } = request;
    const made = await azure.instances.create({ ...rest, network: "net", subnet: "nodes" }, { wait: "ready" });
    expect(made).not.toHaveProperty("publicAddress");
    expect(bodyOf(/networkInterfaces/)).toMatchObject({
      properties: { ipConfigurations: [{ properties: { subnet: { id: subnetId } } }] },
    });
    expect(library.cloud().list("Microsoft.Network/publicIPAddresses")).toEqual([]);
  });

  test("M145 removes disk, interface and address by itself if Azure does not", async () => {
    library.cloud().behaviour.cascades = false;
    await azure.instances.create(request);
    await azure.instances.terminate("vm");
    expect(listAll()).toEqual([]);
    const deletions = library.listWrites().filter((each) => each.startsWith("DELETE"));
    expect(deletions.map((each) => each.split("/")[0])).toEqual([
      "DELETE virtualMachines",
      "DELETE disks",
      "DELETE networkInterfaces",
      "DELETE publicIPAddresses",
    ]);
  });

  test.each([
    ["refuses the machine", { ...capacity }],
    ["accepts the machine and then fails", { ...capacity, isLate: true }],
  ])("M145 leaves nothing behind if Azure %s, although it reserves the interface for a while", async (_title, failure) => {
    const { behaviour } = library.cloud();
    Object.assign(behaviour, { machineFailure: failure, reservations: 9, cascades: false });
    const failed = azure.instances.create(request, { wait: "ready" });
    await expect(failed).rejects.toMatchObject({
      code: "clouds.quota",
      extra: { nativeCode: "AllocationFailed", isCapacity: true },
    });
    await expect(failed).rejects.toThrow(/no capacity in the zone/);
    expect(listAll()).toEqual([]);
    expect((await failed.catch((error: unknown) => error)) as { left: string[] }).toMatchObject({ left: [] });
  });

  test("M145 an image that the marketplace does not have is refused before anything is created", async () => {
    const refused = azure.instances.create({ ...request, image: "Nobody:none:none:latest" });
    await expect(refused).rejects.toMatchObject({ code: "clouds.invalid", left: [] });
    await expect(refused).rejects.toThrow(/has no image Nobody:none:none:latest; `az vm image list/);
    expect(library.listWrites()).toEqual([]);
  });

  test("M145 says what a failed creation left behind if it cannot be removed, and terminate removes it later", async () => {
    library.cloud().behaviour.machineFailure = capacity;
    const { answer } = library.cloud();
    library.fake.answer((asked) =>
      asked.method === "DELETE" ? refuse(403, "AuthorizationFailed", "no deletions") : answer(asked),
    );
    const fault = await azure.instances.create(request).catch((error: unknown) => error);
    expect(fault).toMatchObject({ code: "clouds.quota" });
    expect((fault as { left: string[] }).left[0]).toMatch(/network interface.*no deletions/);
    expect((fault as Error).message).toMatch(/network interface.* stays; delete it with instances\.terminate\("vm"\)/);
    expect(listAll()).toHaveLength(2);
    library.fake.answer(answer);
    await azure.instances.terminate("vm");
    expect(listAll()).toEqual([]);
  });

  test("M149 a lost response to any request creates nothing twice, and nothing is left after the deletion", async () => {
    for (let lost = 0; ; lost += 1) {
      library.reset();
      let count = 0;
      alter((asked) =>
        asked.method !== "GET" && count++ === lost ? { status: 503, headers: { "retry-after": "0" } } : undefined,
      );
      await azure.instances.create(request, { wait: "ready", token: `lost-${lost}` });
      expect([lost, listAll().length]).toEqual([lost, 4]);
      const isComplete = count <= lost;
      await azure.instances.terminate("vm");
      expect([lost, listAll()]).toEqual([lost, []]);
      if (isComplete) break;
    }
  });

  test("M149 a creation that is cancelled at any step leaves a complete machine or nothing, and can be repeated", async () => {
    for (let stop = 1; ; stop += 1) {
      library.reset();
      const abort = new AbortController();
      const reason = new Error("cancelled by the test");
      let count = 0;
      alter(({ method }) => {
        if (method !== "GET" && (count += 1) === stop) abort.abort(reason);
        return undefined;
      });
      const end = await azure.instances
        .create(request, { token: "same", signal: abort.signal, wait: "ready" })
        .catch((error: unknown) => error);
      library.fake.answer(library.cloud().answer);
      const isOver = count < stop;
      expect(end === reason).toBe(!isOver);
      if (isOver) break;
      expect([stop, listAll().length]).toEqual([stop, listAll().length === 0 ? 0 : 4]);
      expect(await azure.instances.create(request, { token: "same", wait: "ready" })).toMatchObject({ status: "running" });
      expect([stop, listAll().length]).toEqual([stop, 4]);
      await azure.instances.terminate("vm");
      expect([stop, listAll()]).toEqual([stop, []]);
    }
  });

  test("M149 never touches somebody else's machine, interface or address of the same name", async () => {
    const card = `${groupId}/providers/Microsoft.Network/networkInterfaces/vm-nic`;
    library.fake.put({
      id: card,
      name: "vm-nic",
      type: "Microsoft.Network/networkInterfaces",
      tags: { owner: "them" },
      properties: {},
    });
    const before = JSON.stringify(library.cloud().get(card));
    await expect(azure.instances.create(request)).rejects.toMatchObject({ code: "clouds.conflict" });
    expect(listAll()).toEqual([card]);
    await azure.instances.terminate("vm");
    expect(JSON.stringify(library.cloud().get(card))).toBe(before);
    library.reset();
    await azure.instances.create(request, { token: "first" });
    const parts = JSON.stringify(listAll());
    await expect(azure.instances.create(request, { token: "second" })).rejects.toMatchObject({ code: "clouds.conflict" });
    expect(JSON.stringify(listAll())).toBe(parts);
    // A process that was killed left behind the interface and the address, but no machine.
    library.fake.resources.delete(machineId("vm").toLowerCase());
    await expect(azure.instances.create(request, { token: "second" })).rejects.toThrow(/terminate vm to remove/);
    library.fake.put({ ...library.cloud().get(card), id: card, type: "", properties: { provisioningState: "Succeeded" } });
    const disk = library.cloud().list("Microsoft.Compute/disks")[0] ?? "";
    library.fake.put({ id: disk, type: "Microsoft.Compute/disks" });
    await azure.instances.terminate("vm");
    expect(listAll()).toEqual([]);
  });

  test("M149 two concurrent creations of one name result in one complete machine", async () => {
    const ends = await Promise.allSettled(["a", "b"].map((token) => azure.instances.create(request, { token, wait: "ready" })));
    expect(ends.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(listAll()).toHaveLength(4);
    await azure.instances.terminate("vm");
    expect(listAll()).toEqual([]);
  });

  test("M145 stops by deallocating, starts again, and waits for a change in progress", async () => {
    const { instances } = azure;
    await instances.create(request);
    expect(await instances.stop("vm")).toMatchObject({ status: "stopped", nativeStatus: "PowerState/deallocated" });
    await expect(instances.waitReady("vm")).rejects.toThrow(/vm is PowerState\/deallocated/);
    expect(await instances.start("vm", { wait: "accepted" })).toMatchObject({ status: "pending" });
    const seen: string[] = [];
    expect(await instances.stop("my-rg/vm", { onStatus: (status) => seen.push(status) })).toMatchObject({ status: "stopped" });
    expect(seen).toContain("stopping");
    expect(await instances.start("vm")).toMatchObject({ status: "running" });
  });

  test("M145 reads the console through the signed link, without sending the token to it", async () => {
    await azure.instances.create(request, { wait: "ready" });
    alter((asked) => (asked.path === "/console.log" ? { status: 200, body: "Linux version 6" } : undefined));
    expect(await azure.instances.readConsole("vm")).toBe("Linux version 6");
    const read = library.fake.seen.findLast(({ path }) => path === "/console.log");
    expect(read?.headers.authorization).toBeUndefined();
    alter((asked) => (asked.path === "/console.log" ? { status: 403, body: "<Error>sig=canary</Error>" } : undefined));
    const fault = (await azure.instances.readConsole("vm").catch((error: unknown) => error)) as Error;
    expect(fault).toMatchObject({ extra: { category: "denied" } });
    expect(fault.message).not.toContain("canary");
  });

  test.each([
    ["no subnet", { subnet: undefined }, /needs a subnet/],
    ["no SSH key", { sshKeys: [] }, /requires an SSH key/],
    ["a key that Azure does not accept", { sshKeys: ["ecdsa-sha2-nistp256 AAAA"] }, /ssh-rsa and ssh-ed25519/],
    ["an unknown image", { image: "windows" }, /is not publisher:offer:sku:version/],
    ["two security groups", { securityGroups: ["a", "b"] }, /at most one security group/],
    ["a reserved user", { user: "root" }, /does not accept the user/],
    ["too much user data", { userData: "x".repeat(65_536) }, /at most 65535/],
    ["a bad zone", { zone: "west" }, /not a zone/],
    ["a bad name", { name: "../vm" }, /cannot be the name/],
  ])("M149 refuses a machine with %s, and creates nothing", async (_title, change, message) => {
    const failed = azure.instances.create({ ...request, ...change } as typeof request);
    await expect(failed).rejects.toMatchObject({ code: "clouds.invalid" });
    await expect(failed).rejects.toThrow(message);
    expect(library.listWrites()).toEqual([]);
  });
});

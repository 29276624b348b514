import { expect, test } from "vitest";
import { useFakeProject, faultOf } from "../testing/library-test.ts";

const project = useFakeProject();

const machine = {
  name: "vm",
  image: "ubuntu-24.04",
  type: "e2-small",
  sshKeys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ ada@example.com"],
  userData: "#cloud-config\n",
  subnet: "main",
  securityGroups: ["web"],
  publicAddress: true,
  rootDisk: { sizeGiB: 20 },
  tags: { Owner: "Ada" },
} as const;

test("M144 a machine is created with image, keys, user data, network and tags, and nothing is left after it is terminated", async () => {
  const gcp = project.open();
  const made = await gcp.instances.create(machine, { wait: "ready" });
  expect(made).toMatchObject({
    id: "projects/my-project/zones/us-central1-a/instances/vm",
    region: "us-central1",
    zone: "us-central1-a",
    status: "running",
    type: "e2-small",
    image: "projects/ubuntu-os-cloud/global/images/family/ubuntu-2404-lts-amd64",
    privateAddress: "10.0.0.2",
    publicAddress: "203.0.113.20",
    user: "ubuntu",
    tags: { Owner: "Ada" },
  });
  expect(project.sent("/instances").find(({ method }) => method === "POST")?.body).toMatchObject({
    machineType: "zones/us-central1-a/machineTypes/e2-small",
    disks: [{ boot: true, autoDelete: true, initializeParams: { diskSizeGb: "20" } }],
    networkInterfaces: [{ subnetwork: "regions/us-central1/subnetworks/main", accessConfigs: [{ type: "ONE_TO_ONE_NAT" }] }],
    tags: { items: ["web"] },
    metadata: {
      items: expect.arrayContaining([
        { key: "ssh-keys", value: `ubuntu:${machine.sshKeys[0]}` },
        { key: "user-data", value: machine.userData },
      ]) as unknown,
    },
  });
  expect(project.sent("/instances").find(({ method }) => method === "POST")?.query["requestId"]?.[0]).toMatch(
    /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  await gcp.instances.terminate("vm");
  expect(project.google.state.instances.size).toBe(0);
  await gcp.instances.terminate("vm");
});

test("M144 a machine is stopped, started, resumed and found by every form of ID that users may have", async () => {
  const gcp = project.open();
  const { id } = await gcp.instances.create(machine, { wait: "ready" });
  expect(await gcp.instances.stop("vm")).toMatchObject({ status: "stopped", nativeStatus: "TERMINATED" });
  expect(await gcp.instances.start(id)).toMatchObject({ status: "running" });
  project.google.state.instances.set("us-central1-a/vm", {
    ...project.google.state.instances.get("us-central1-a/vm"),
    status: "SUSPENDED",
  });
  expect(await gcp.instances.start(`https://www.googleapis.com/compute/v1/${id}`)).toMatchObject({ status: "running" });
  expect(await gcp.instances.stop("zones/us-central1-a/instances/vm", { wait: "accepted" })).toMatchObject({
    status: "stopping",
  });
  expect(await gcp.instances.readConsole("vm")).toBe("login: ");
  expect((await faultOf(gcp.instances.waitReady("vm"))).message).toContain("TERMINATED");
  for (const bad of ["", "a b", "../x", "projects/p/zones/z/instances/.."])
    expect((await faultOf(gcp.instances.get(bad))).code).toBe("clouds.invalid");
  expect((await faultOf(gcp.instances.get("none"))).code).toBe("clouds.not_found");
});

test("M144 machines are listed by region and tags, and a name in two zones is refused", async () => {
  const gcp = project.open();
  await gcp.instances.create(machine);
  await gcp.instances.create({ ...machine, zone: "us-central1-b" });
  await gcp.instances.create({ ...machine, name: "far", zone: "europe-west1-b", tags: { Owner: "Bob" } });
  expect((await gcp.instances.list()).map(({ name, zone }) => `${name} ${zone}`)).toEqual([
    "vm us-central1-a",
    "vm us-central1-b",
  ]);
  expect(await gcp.instances.list({ region: "europe-west1", tags: { Owner: "Bob" } })).toHaveLength(1);
  expect(await gcp.instances.list({ tags: { Owner: "Bob" } })).toHaveLength(0);
  expect((await faultOf(gcp.instances.terminate("vm"))).message).toContain("zones/us-central1-b/instances/vm");
  expect(project.google.state.instances.size).toBe(3);
  project.google.state.missingZones.push("us-central1-f");
  expect((await faultOf(gcp.instances.find("other"))).extra.category).toBe("unavailable");
});

test("M144 the image of a machine that the library did not create is read from its boot disk", async () => {
  const source = "https://www.googleapis.com/compute/v1/projects/my-project/zones/us-central1-a/disks/old";
  project.google.state.instances.set("us-central1-a/old", {
    name: "old",
    zone: "https://www.googleapis.com/compute/v1/projects/my-project/zones/us-central1-a",
    status: "PENDING_STOP",
    disks: [{ boot: true, source }],
  });
  expect(await project.open().instances.get("old")).toMatchObject({
    status: "stopping",
    user: "",
    image: "projects/debian-cloud/global/images/debian-12-v1",
  });
});

test("M149 an error in an accepted operation is reported with its category, and leaves no machine", async () => {
  const gcp = project.open();
  const fail = (code: string, message: string) => project.google.state.operationErrors.push({ errors: [{ code, message }] });
  fail("QUOTA_EXCEEDED", "Quota 'CPUS' exceeded. Limit: 8.0 in region us-central1.");
  expect(await faultOf(gcp.instances.create(machine))).toMatchObject({
    code: "clouds.quota",
    extra: { category: "quota", nativeCode: "QUOTA_EXCEEDED", isCapacity: false, requestId: "operation-1" },
  });
  fail(
    "ZONE_RESOURCE_POOL_EXHAUSTED",
    "The zone 'us-central1-a' does not have enough resources available to fulfill the request.",
  );
  expect(await faultOf(gcp.instances.create(machine))).toMatchObject({ extra: { category: "quota", isCapacity: true } });
  expect(project.google.state.instances.size).toBe(0);
});

test("M149 machines that cannot be created are refused before anything is sent", async () => {
  const gcp = project.open();
  const bad = [
    { ...machine, name: "VM" },
    { ...machine, image: "windows" },
    { ...machine, type: "../e2" },
    { ...machine, rootDisk: { encrypted: false } },
    { ...machine, sshKeys: ["not a key"] },
    { ...machine, sshKeys: ["ssh-ed25519 AAAA\nroot:ssh-rsa AAAA"] },
    { ...machine, user: "a:b" },
    { ...machine, userData: "x".repeat(300_000) },
    { ...machine, securityGroups: ["sg-123_x"] },
    { ...machine, zone: "us-central1" },
  ];
  for (const each of bad) expect((await faultOf(gcp.instances.create(each))).code).toBe("clouds.invalid");
  expect(project.google.seen).toEqual([]);
});

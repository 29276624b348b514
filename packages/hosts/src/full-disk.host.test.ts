import { mkdir, mkdtemp, rm, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@cloudwright/platform";
import { expect, onTestFinished, test } from "vitest";
import { openHost, type HostedInstance } from "./host.ts";
import { listLeftovers } from "./instances/testing/leftovers.ts";
import { createKeyPair } from "./instances/testing/ssh-client.ts";
import { newUid, requireNothingLeft } from "./networks/testing/world.ts";
import { runTool } from "./run-tool.ts";

test("on a full disk, changes fail with the reason and change nothing, and instances can still be deleted", async () => {
  const folder = await mkdtemp(join(tmpdir(), "full-host-"));
  const [directory, root] = [join(folder, "host"), join(folder, "root")];
  await mkdir(directory);
  await runTool("mount", ["-t", "tmpfs", "-o", "size=64m", "tmpfs", directory]);
  onTestFinished(async () => {
    await runTool("umount", [directory]);
    await rm(folder, { recursive: true });
  });
  for (const name of ["etc", "usr"]) await mkdir(join(root, name), { recursive: true });
  await writeFile(join(root, "etc", "os-release"), "ID=test\n");

  const host = await openHost({ directory, run: runTool, clock: systemClock });
  const [network, group, first, second] = [newUid(), newUid(), newUid(), newUid()];
  const key = await createKeyPair();
  const specOf = (uid: string, name: string): HostedInstance => ({
    uid,
    name,
    project: "shop",
    image: "tiny",
    cpus: 1,
    memoryMib: 256,
    diskGib: 1,
    access: { user: "admin", authorizedKeys: [key.publicKey], hostKey: key },
    network,
    groups: [group],
  });
  await host.images.importRootfs({ name: "tiny", path: root }, undefined);
  await host.networks.ensure({ uid: network, cidr: "10.92.0.0/24", nat: false });
  await host.firewall.setGroup({ uid: group, rules: [] });
  // The image cannot boot, but the instance has a disk, a port and records.
  await expect(host.createInstance(specOf(first, "first"))).rejects.toMatchObject({ code: "hosts.instance_failed" });

  const isFull = { code: "hosts.no_disk_space" };
  await writeFile(join(directory, "fill"), Buffer.alloc(64 * 1024 ** 2)).catch(() => undefined);
  expect((await statfs(directory)).bavail).toBe(0);
  await expect(host.createInstance(specOf(second, "second"))).rejects.toMatchObject(isFull);
  await expect(host.volumes.create({ uid: newUid(), sizeGib: 1 })).rejects.toMatchObject(isFull);
  const open = { uid: group, rules: [{ protocol: "tcp", source: { cidr: "0.0.0.0/0" } }] } as const;
  await expect(host.firewall.setGroup(open)).rejects.toMatchObject(isFull);
  expect(await host.firewall.listGroups()).toMatchObject([{ rules: [] }]);
  expect((await host.networks.listPorts()).map(({ name }) => name)).toEqual(["first"]);

  await host.removeInstance(first);
  await host.removeInstance(second);
  expect((await statfs(directory)).bavail).toBeGreaterThan(0);
  await host.firewall.setGroup(open);
  await host.clean();
  requireNothingLeft(directory);
  expect((await listLeftovers(directory)).filter((each) => each !== directory)).toEqual([]);
});

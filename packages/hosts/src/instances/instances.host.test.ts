import { systemClock } from "@cloudwright/platform";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { openImages } from "../images/images.ts";
import { nameObject } from "../names.ts";
import { runTool } from "../run-tool.ts";
import type { InstanceSpec } from "./driver.ts";
import type { Instances } from "./instances.ts";
import { forkBomb } from "./testing/attacks.ts";
import { createInstanceWorld, testImage, type InstanceWorld } from "./testing/instance-world.ts";
import { listLeftovers } from "./testing/leftovers.ts";
import { createKeyPair, runOverSsh } from "./testing/ssh-client.ts";

if (testImage === "") console.log("skipped: instances, because CLOUDWRIGHT_HOST_IMAGE is not set; use npm run test:hosts");

describe.skipIf(testImage === "")("instances", () => {
  let world: InstanceWorld;
  let instances: Instances;
  beforeAll(async () => {
    world = await createInstanceWorld();
    instances = await world.open();
  });
  afterAll(() => world.close());

  async function create(uid: string, change: Partial<InstanceSpec> = {}): Promise<InstanceSpec> {
    const spec = await world.specOf(uid, change);
    onTestFinished(() => instances.remove(uid, undefined));
    await instances.create(spec, undefined);
    return spec;
  }

  test("a new instance accepts its user's key, presents the given host key and rejects other keys", async () => {
    const started = performance.now();
    const spec = await create("first", { userData: "#!/bin/sh\necho from-user-data > /var/tmp/user-data\n" });
    expect(await world.reach(spec, "hostname")).toBe("first");
    console.log(`first SSH command after ${Math.round(performance.now() - started)} ms`);
    expect((await world.ssh(spec, "systemctl is-system-running --wait")).stdout.trim()).toBe("running");
    expect((await world.ssh(spec, "cloud-init status --wait; sudo cat /var/tmp/user-data")).stdout).toContain("from-user-data");
    expect((await world.ssh(spec, "ls /etc/ssh/ssh_host_*_key")).stdout.trim()).toBe("/etc/ssh/ssh_host_ed25519_key");
    const { user, hostKey } = spec.access;
    const login = { user, address: spec.port.address, key: await createKeyPair(), hostKey: hostKey.publicKey };
    expect(await runOverSsh(login, "true")).toMatchObject({
      code: 255,
      stderr: expect.stringContaining("Permission denied") as string,
    });
    const impostor = { ...login, hostKey: (await createKeyPair()).publicKey };
    expect(await runOverSsh(impostor, "true")).toMatchObject({
      code: 255,
      stderr: expect.stringContaining("verification failed") as string,
    });
    expect(await instances.readConsole("first", 100_000)).toContain("Reached target");
    expect(await runTool("nsenter", ["--target", String(await instances.enter("first")), "--uts", "hostname"])).toMatchObject({
      stdout: "first\n",
    });
  });

  test("data survives a stop, a reboot from inside or outside, and a power cut", async () => {
    const spec = await create("data");
    await world.reach(spec, "echo kept > data && sync");
    await instances.stop("data", undefined);
    await instances.stop("data", undefined);
    expect(await instances.find("data")).toEqual({ state: "stopped" });
    expect(await listLeftovers(join(world.directory, "instances", "data"))).toEqual([]);
    await expect(instances.enter("data")).rejects.toMatchObject({ code: "hosts.instance_stopped" });
    await instances.start("data", undefined);
    expect(await world.reach(spec, "cat data")).toBe("kept");
    await instances.reboot("data", undefined);
    expect(await world.reach(spec, "cat data")).toBe("kept");
    const before = await instances.enter("data");
    await world.ssh(spec, "sudo systemctl reboot");
    await expect.poll(() => instances.enter("data").catch(() => before)).not.toBe(before);
    expect(await world.reach(spec, "cat data")).toBe("kept");
    await instances.powerOff("data", undefined);
    await instances.start("data", undefined);
    expect(await world.reach(spec, "cat data")).toBe("kept");
  });

  test("an instance that exceeds its memory, its processes or its disk harms only itself", async () => {
    const spec = await create("greedy", { diskGib: 0.25 });
    await world.reach(spec, "true");
    const memory = await world.ssh(spec, `python3 -c 'x = bytearray(2 << 30)'; echo $?`);
    expect(memory.stdout).toBe("137\n");
    const { stdout } = await world.ssh(spec, `python3 -c '${forkBomb}'`);
    expect(stdout).toMatch(/^Resource temporarily unavailable (1[0-9]|20)[0-9]{2}$/m);
    const disk = await world.ssh(spec, "dd if=/dev/zero of=fill bs=1M count=1000 2>&1; rm fill; echo after > after && cat after");
    expect(disk.stdout).toMatch(/No space left on device[^]*after$/m);
    const { size, blocks } = await stat(join(world.directory, "disks", "greedy.img"));
    expect(size).toBe(0.25 * 1024 ** 3);
    expect(blocks * 512).toBeLessThanOrEqual(size + 1024 * 1024);
  });

  test("an instance can open only the devices that were allowed, and cannot change the host's settings", async () => {
    const spec = await create("curious");
    await world.reach(spec, "true");
    const { stdout } = await runTool("findmnt", ["--noheadings", "--output", "MAJ:MIN", "--target", world.directory]);
    const [major, minor] = stdout.trim().split(":");
    // The instance itself must not create devices, so the host does.
    const leader = String(await instances.enter("curious"));
    const addNode = (path: string, ...numbers: string[]): Promise<unknown> =>
      runTool("nsenter", ["--target", leader, "--mount", "mknod", path, "b", ...numbers]);
    expect((await world.ssh(spec, `sudo mknod /dev/mine b ${major} ${minor}`)).stderr).toContain("Operation not permitted");
    await addNode("/dev/host", ...stdout.trim().split(":"));
    expect((await world.ssh(spec, "sudo head -c 1 /dev/host")).stderr).toContain("Operation not permitted");
    const loop = (
      await runTool("losetup", [
        "--associated",
        join(world.directory, "disks", "curious.img"),
        "--noheadings",
        "--output",
        "MAJ:MIN",
      ])
    ).stdout.trim();
    await addNode("/dev/own", ...loop.split(":"));
    const open = "sudo head -c 1 /dev/own | wc -c";
    expect((await world.ssh(spec, open)).stdout).toBe("0\n");
    await instances.allowDevice("curious", loop);
    expect((await world.ssh(spec, open)).stdout).toBe("1\n");
    await instances.denyDevice("curious", loop);
    expect((await world.ssh(spec, open)).stdout).toBe("0\n");
    expect((await world.ssh(spec, "echo 1 | sudo tee /proc/sys/kernel/panic")).code).toBe(1);
  });

  test("concurrent and repeated requests create one instance, and a different specification is rejected", async () => {
    const spec = await create("same");
    await Promise.all([instances.create(spec, undefined), instances.start("same", undefined), instances.create(spec, undefined)]);
    const leader = await instances.enter("same");
    const restarted = await world.open();
    await restarted.create(spec, undefined);
    expect(await restarted.restore(undefined)).toEqual({ failed: [] });
    expect(await restarted.find("same")).toEqual({ state: "running", leader });
    await expect(restarted.create({ ...spec, cpus: 2 }, undefined)).rejects.toMatchObject({ code: "hosts.instance_exists" });
    await expect(restarted.create({ ...spec, uid: "other", image: "none" }, undefined)).rejects.toMatchObject({
      code: "hosts.image_not_found",
    });
    const foreign = await world.specOf("foreign", { project: "other" });
    await expect(restarted.create(foreign, undefined)).rejects.toMatchObject({ code: "hosts.shared_host" });
    const shared = await world.open({ allowSharedHost: true });
    await shared.create(foreign, undefined);
    await shared.remove("foreign", undefined);
    await Promise.all([shared.remove("same", undefined), shared.remove("same", undefined)]);
    expect(await shared.find("same")).toEqual({ state: "absent" });
    await expect(shared.start("same", undefined)).rejects.toMatchObject({ code: "hosts.instance_not_found" });
  });

  test("after a restart of the host, instances run again and leftovers of other instances are removed", async () => {
    const spec = await create("restored");
    await world.reach(spec, "echo kept > data && sync");
    const stopped = await create("asleep");
    await instances.stop("asleep", undefined);
    const orphan = await world.specOf("orphan");
    await instances.create(orphan, undefined);
    await cutPower(["restored", "orphan"]);
    await runTool("rm", [join(world.directory, "records", "instances", "orphan.json")]);
    const restarted = await world.open();
    expect(await restarted.restore(undefined)).toEqual({ failed: [] });
    expect(await world.reach(spec, "cat data")).toBe("kept");
    expect(await restarted.find(stopped.uid)).toEqual({ state: "stopped" });
    expect(await restarted.find("orphan")).toEqual({ state: "absent" });
    expect((await listLeftovers(world.directory)).filter((each) => each.includes("orphan"))).toEqual([]);
  });

  /** Kills all processes of instances, as a power cut of the host would, and removes one of the mounts. */
  async function cutPower(uids: readonly string[]): Promise<void> {
    for (const uid of uids) {
      const group = join("/sys/fs/cgroup/pids", nameObject("machine", world.directory), nameObject("machine", uid));
      process.kill(await instances.enter(uid), "SIGKILL");
      await expect.poll(() => readFile(join(group, "launcher", "cgroup.procs"), "utf8")).toBe("");
      if (uid === "restored") await runTool("umount", [join(world.directory, "instances", uid, "root")]);
    }
  }

  test("an instance without a port fails to start with the reason, and starts once the port exists", async () => {
    const spec = await world.specOf("portless");
    onTestFinished(() => instances.remove("portless", undefined));
    await world.network.removePort("portless");
    await expect(instances.create(spec, undefined)).rejects.toMatchObject({ code: "hosts.instance_failed" });
    const { address } = await world.network.port("portless");
    await instances.start("portless", undefined);
    expect(await world.reach({ ...spec, port: { ...spec.port, address } }, "hostname").catch(() => "unreachable")).toBe(
      "portless",
    );
  });

  test("an instance whose image cannot boot fails to start with the reason", async () => {
    const images = await openImages({ directory: world.directory, run: runTool, clock: systemClock });
    const root = join(world.directory, "no-init");
    await mkdir(join(root, "usr"), { recursive: true });
    await mkdir(join(root, "etc"));
    await writeFile(join(root, "etc", "os-release"), "ID=test\n");
    await images.importRootfs({ name: "no-init", path: root }, undefined);
    const spec = await world.specOf("broken", { image: "no-init" });
    onTestFinished(() => instances.remove("broken", undefined));
    await expect(instances.create(spec, undefined)).rejects.toMatchObject({
      code: "hosts.instance_failed",
      message: expect.stringMatching(/console ends with: .*init/i) as string,
    });
    expect(await instances.find("broken")).toEqual({ state: "stopped" });
  });

  test("a node of a cluster may mount overlays on its own disk", async () => {
    const spec = await create("node", { nodeOfCluster: true });
    const commands = [
      "cd /var/lib/containerd && mkdir l u w m && mount -t overlay overlay -o lowerdir=l,upperdir=u,workdir=w m",
      "stat --file-system --format %T /var/lib/containerd /var/lib/kubelet /var/lib/etcd",
    ];
    expect(await world.reach(spec, `sudo sh -ec '${commands.join("; ")}'`)).toBe("ext2/ext3\next2/ext3\next2/ext3");
  });
});

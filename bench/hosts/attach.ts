import { runTool } from "@cloudwright/hosts";
import { rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { interleave, type Round } from "../statistics.ts";
import type { BenchHost } from "./bench-host.ts";

const counts = { rounds: 15, warmUp: 2 };

/** Measures the milliseconds for attaching a volume. The anchor runs `losetup` and creates the device node in the instance. */
export async function measureAttach(bench: BenchHost): Promise<Round[]> {
  const { host, directory } = bench;
  const [instance, volume] = [bench.newUid(), bench.newUid()];
  const { address } = await host.createInstance(bench.specOf(instance));
  await bench.waitForSsh(address, 100);
  await host.volumes.create({ uid: volume, sizeGib: 1 });
  const leader = String(await host.instances.enter(instance));
  const file = join(directory, "bare.img");
  await writeFile(file, "");
  await truncate(file, 1024 ** 3);

  const timeOurs = async (): Promise<number> => {
    const started = performance.now();
    await host.attachVolume(volume, instance);
    const tookMs = performance.now() - started;
    await host.volumes.detach(volume);
    return tookMs;
  };
  const timeBare = async (): Promise<number> => {
    const started = performance.now();
    const device = (await runTool("losetup", ["--find", "--show", file])).stdout.trim();
    const [major = "", minor = ""] = (await runTool("lsblk", ["--noheadings", "--output", "MAJ:MIN", device])).stdout
      .trim()
      .split(":");
    const inside = ["--target", leader, "--mount", "--"];
    await runTool("nsenter", [...inside, "mknod", "/dev/bare", "b", major, minor]);
    const tookMs = performance.now() - started;
    await runTool("nsenter", [...inside, "rm", "/dev/bare"]);
    await runTool("losetup", ["--detach", device]);
    return tookMs;
  };
  const found = await interleave(counts, timeOurs, timeBare);
  await host.removeInstance(instance);
  await rm(file);
  return found;
}

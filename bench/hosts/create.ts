import { interleave, type Round } from "../statistics.ts";
import { startBareInstance } from "./bare-instance.ts";
import type { BenchHost } from "./bench-host.ts";

const counts = { rounds: 5, warmUp: 1 };
const pauseMs = 20;

/** Measures the time from creating an instance to its first SSH command. The anchor starts the same container by hand. */
export async function measureCreate(bench: BenchHost): Promise<Round[]> {
  const { host } = bench;
  const timeOurs = async (): Promise<number> => {
    const uid = bench.newUid();
    const started = performance.now();
    const { address } = await host.createInstance(bench.specOf(uid));
    await bench.waitForSsh(address, pauseMs);
    const tookMs = performance.now() - started;
    await host.removeInstance(uid);
    return tookMs;
  };
  const timeBare = async (): Promise<number> => {
    const started = performance.now();
    const instance = await startBareInstance(bench);
    await bench.waitForSsh(instance.address, pauseMs);
    const tookMs = performance.now() - started;
    await instance.stop();
    return tookMs;
  };
  return interleave(counts, timeOurs, timeBare);
}
